import { offerGuard } from "../../shared/storage/volume.ts";
import type { WrittenNames } from "../../shared/written-names.ts";
import { claimLabel, namespaceLabel, offerKey, reclaimAtKey } from "./lib/note.ts";

export const names: WrittenNames = {
  name: "undelete",
  annotations: {
    [reclaimAtKey]: {
      means: "When a kept volume is reclaimed.",
      ifChanged:
        "You may move the time. If you remove it, the volume is kept until a person sets a time. With a time that " +
        "cannot be read, it is kept, and the Event `UnreadableTime` warns.",
    },
    [offerKey]: {
      means:
        "What a person has said of an offer: `yes` offers the kept volume, any other value does not. Holdfast only " +
        "removes a `yes`: when it has made the offer, or when a claim has the volume.",
      ifChanged:
        "You may set, change and remove it. If you remove `no`, Holdfast decides again, and may offer the volume.",
    },
    "pv.kubernetes.io/bound-by-controller": {
      means: "Kubernetes' own. Holdfast removes it from a volume that it offers.",
      ifChanged:
        "Do not add it to an offered volume. With it, Kubernetes may make the volume available to every claim.",
    },
  },
  labels: {
    [namespaceLabel]: {
      means: "The namespace of the claim that has, or had, a noted volume. Functions and people find volumes by it.",
      ifChanged:
        "Leave it. Holdfast writes it again at once: `retain` does so while the claim has the volume, and `reserve` " +
        "after that. Until then, `reserve` makes no offer of the volume, and withdraws none.",
    },
    [claimLabel]: {
      means: "The uid of the claim that an offered volume was of, in case another program overwrites its note.",
      ifChanged:
        "Leave it. The next look of reserve writes it again. If the note is lost as well, Holdfast no longer knows " +
        "the volume, and does not withdraw the offer.",
    },
  },
  finalizers: {
    [offerGuard]: {
      means:
        "Waits until all offers of volumes of the namespace are withdrawn. A namespace gets it with the first offer.",
      ifChanged:
        "If the namespace is being deleted, it goes with the offers open. A claim in the next namespace of that " +
        "name then gets the data, also if another user creates it. If the namespace is not being deleted, the next " +
        "look that finds an offer adds it again.",
    },
  },
};
