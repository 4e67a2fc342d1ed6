import { offerKey, readNote, reclaimAtKey } from "../../functions/undelete/lib/note.ts";
import { shellWord } from "../../shared/command/shell-word.ts";
import { PersistentVolume } from "../../shared/kubernetes/kind.ts";
import type { Volume } from "../../shared/storage/volume.ts";
import { annotating } from "../api/write.ts";
import type { Action } from "../parts/act.tsx";

/** Sets one annotation of the volume; null removes it. */
function annotate({ metadata }: Volume, key: string, value: string | null): Pick<Action, "command" | "write"> {
  const { name, uid } = metadata;
  return {
    command:
      value === null
        ? `kubectl annotate pv ${name} ${key}-`
        : `kubectl annotate pv ${name} ${shellWord(`${key}=${value}`)} --overwrite`,
    write: annotating(PersistentVolume, { name, uid }, { [key]: value }),
  };
}

/** `until` is RFC 3339. */
export const keepUntil = (volume: Volume, until: string): Action => ({
  label: "Keep longer",
  does: `This keeps the volume ${volume.metadata.name} until the time that you name. Its storage costs as before.`,
  ...annotate(volume, reclaimAtKey, until),
});

export const keepForGood = (volume: Volume): Action => ({
  label: "Keep for good",
  does: `This keeps the volume ${volume.metadata.name} until a person names a time again.`,
  ...annotate(volume, reclaimAtKey, null),
});

export function reclaim(volume: Volume): Action {
  const policy = readNote(volume)?.policy ?? "its former one";
  return {
    label: "Reclaim now",
    does:
      `This leaves the volume ${volume.metadata.name} to Kubernetes with the sweep's next tick, within five ` +
      `minutes. Its reclaim policy is then ${policy} again` +
      (policy === "Retain" ? ", so that it stays Released." : ", so that Kubernetes deletes its data."),
    ...annotate(volume, reclaimAtKey, new Date().toISOString().replace(/\.\d+Z$/, "Z")),
    isDanger: true,
  };
}

export function offer(volume: Volume): Action {
  const { namespace, name } = readNote(volume)?.claim ?? {};
  return {
    label: "Offer",
    does:
      `This offers the volume ${volume.metadata.name} to the next claim ${namespace}/${name}, whichever namespace of ` +
      "that name. Whoever creates that claim gets the data.",
    ...annotate(volume, offerKey, "yes"),
  };
}

export const withhold = (volume: Volume): Action => ({
  label: "Withdraw the offer",
  does:
    `This keeps the volume ${volume.metadata.name}, and offers it to no claim. A claim of its name gets a new ` +
    "volume.",
  ...annotate(volume, offerKey, "no"),
});
