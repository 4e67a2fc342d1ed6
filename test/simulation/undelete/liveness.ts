import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { isBy, type Truth } from "../invariants/invariant.ts";
import { has, type LivenessCheck, type LivenessTruth } from "../liveness/liveness-check.ts";
import { homesOf } from "./invariants.ts";
import { shipped } from "./settings.ts";
import {
  claimOf,
  guard,
  namespaceOf,
  noteKey,
  noteOf,
  ownerOf,
  reclaimAtKey,
  scopeOf,
  type VolumeLike,
  volumesOf,
} from "./volumes.ts";

/** Whether a person has changed something of a volume. */
const isChangedByHand = (
  { changes }: Truth,
  { metadata }: KubernetesObject,
  something: (volume: KubernetesObject) => unknown,
) =>
  changes.some(
    ({ by, before, after, object }) =>
      object.metadata.uid === metadata.uid &&
      ["user", "operator"].includes(by.name) &&
      before &&
      after &&
      something(before) !== something(after),
  );

const isOverruled = (truth: Truth, volume: KubernetesObject) => isChangedByHand(truth, volume, policyOf);

/** It is not known any more what the policy was: the volume stays Retain, as if a person had set it so. */
const isNoteLost = (truth: Truth, volume: KubernetesObject) =>
  isChangedByHand(truth, volume, ({ metadata }) => metadata.annotations?.[noteKey]);

const policyOf = (volume: KubernetesObject) => (volume as VolumeLike).spec.persistentVolumeReclaimPolicy;

/**
 * Whether the volume is kept after its claim, by the writes that there were: a function has made it Retain, and neither
 * has given it back since, nor has a person changed its policy. What the functions have noted of it does not count.
 */
function isKept(truth: Truth, volume: VolumeLike): boolean {
  const last = truth.changes.findLast(
    ({ before, after, object }) =>
      object.metadata.uid === volume.metadata.uid && before && after && policyOf(before) !== policyOf(after),
  );
  const isOurs = last !== undefined && isBy(last, "undelete") && policyOf(volume) === "Retain";
  return isOurs && !ownerOf(truth, volume) && !isNoteLost(truth, volume);
}

const each = (
  name: string,
  problem: (volume: VolumeLike, truth: LivenessTruth) => string | undefined,
  { inEverySetting = false } = {},
): LivenessCheck => ({
  name,
  check(truth) {
    // Elsewhere a volume that an event was lost of is resynced within the hour, for which no run waits.
    if (!inEverySetting && truth.scenario.setting !== shipped) return undefined;
    for (const volume of volumesOf(truth)) {
      if (volume.metadata.deletionTimestamp) continue;
      const message = problem(volume, truth);
      if (message) return `Volume ${volume.metadata.name} ${message}.`;
    }
    return undefined;
  },
});

/** A bound volume that is to be kept is Retain and says so, and one that is not is as it was. */
const boundVolumesAreRight = each("bound-volumes-are-right", (volume, truth) => {
  const owner = ownerOf(truth, volume);
  if (!owner || volume.status?.phase !== "Bound" || isOverruled(truth, volume)) return undefined;
  if (scopeOf(truth, owner) === undefined)
    return owner.metadata.deletionTimestamp ||
      (!noteOf(volume) && (policyOf(volume) === "Delete" || isNoteLost(truth, volume)))
      ? undefined
      : "is not to be kept, and is held";
  if (policyOf(volume) !== "Retain" || noteOf(volume)?.step !== "retained")
    return "is to be kept, and goes with its claim";
  return volume.metadata.annotations?.[reclaimAtKey] && truth.calm ? "is bound, and has a time" : undefined;
});

/**
 * A volume whose claim is gone is offered to its name where its namespace is still there, or else says what it waits
 * for.
 */
const keptVolumesAreOffered = each(
  "kept-volumes-are-offered",
  (volume, truth) => {
    const { claimRef } = volume.spec;
    if (!isKept(truth, volume)) return undefined;
    const said = noteOf(volume)?.step ?? "nothing";
    if (!["kept", "asks", "offered"].includes(said)) return "has lost its claim, and does not say so";
    const isOffered = claimRef?.uid === undefined;
    if (isOffered !== (said === "offered")) return `is ${isOffered ? "" : "not "}offered, and says ${said}`;
    const home = namespaceOf(truth, claimRef?.namespace ?? "");
    const others = volumesOf(truth).filter(
      (other) => other !== volume && claimOf(truth, other) === claimOf(truth, volume),
    );
    const isFree = home && !home.metadata.deletionTimestamp && !claimOf(truth, volume) && others.length === 0;
    const isSame = homesOf(truth).homes.get(volume.metadata.uid) === home?.metadata.uid;
    return isFree && isSame && !isOffered ? "is not offered to its name" : undefined;
  },
  { inEverySetting: true },
);

/** Milliseconds: volumes are kept for a minute and a half in runs, or for a day. */
const soon = 600_000;

/** A volume whose time has come, and that no claim has or waits for, is handed back: the sweep finds it by its time. */
const expiredVolumesGo = each(
  "expired-volumes-go",
  (volume, truth) => {
    const due = Date.parse(volume.metadata.annotations?.[reclaimAtKey] ?? "");
    // Where all is at rest no write says what time it is: what falls due while it is to rest is waited for before.
    const now = (truth.changes.at(-1)?.at ?? 0) + soon;
    return isKept(truth, volume) && due <= now && !claimOf(truth, volume) ? "is overdue" : undefined;
  },
  { inEverySetting: true },
);

/** No namespace that is being deleted is held on behalf of volumes: what is offered there is withdrawn. */
const namespacesGo: LivenessCheck = {
  name: "namespaces-go",
  check(truth) {
    if (truth.scenario.setting !== shipped) return undefined;
    const held = truth.history.live("Namespace").find((home) => home.metadata.deletionTimestamp && has(home, guard));
    return held && `Namespace ${held.metadata.name} is held for nothing.`;
  },
};

/** What must have come about in the end where undelete is installed. */
export const liveness: readonly LivenessCheck[] = [
  boundVolumesAreRight,
  keptVolumesAreOffered,
  expiredVolumesGo,
  namespacesGo,
];
