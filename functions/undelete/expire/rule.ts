import * as z from "zod";
import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Event, PersistentVolume, PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import { rule } from "../../../shared/rule.ts";
import type { Claim, Volume } from "../../../shared/storage/volume.ts";
import { due } from "../../../shared/sweep.ts";
import { describeVolume, forget, namesItsClaim, noting, readNote, reclaimPostponed, reclaimTime } from "../lib/note.ts";

/** A volume, and the claim of its name, which was read after it. */
export interface Facts {
  readonly volume: Volume;
  readonly claim: Claim | undefined;
}

export const expire = rule({
  ...noting,
  name: "undelete/expire",
  doc: "Hands a volume that nobody has come back for to Kubernetes again, as it was, when its time has come.",
  settings: z.object({}),
  // Nothing but time makes a volume due, and of that the sweep tells.
  wakes: [],
  may: [
    { resource: PersistentVolume, verbs: ["get", "patch"] },
    { resource: PersistentVolumeClaim, verbs: ["get"] },
    { resource: Event, verbs: ["create", "get", "delete"] },
  ],
  sweep: [due(PersistentVolume)],
  subjects: ({ kind, name }) => (kind === "PersistentVolume" ? [{ kind: PersistentVolume, name }] : []),
  look: async ({ name = "" }, { client }): Promise<Facts | undefined> => {
    const volume = await client.get<Volume>(PersistentVolume, undefined, name);
    const note = volume && readNote(volume);
    if (!note || reclaimTime(volume) === undefined) return undefined;
    const claim = await client.get<Claim>(PersistentVolumeClaim, note.claim.namespace, note.claim.name);
    return { volume, claim };
  },
  decide,
});

function decide(facts: Facts | undefined, now: number): readonly Decision[] {
  if (!facts) return [];
  const { volume, claim } = facts;
  const note = readNote(volume);
  const { claimRef, persistentVolumeReclaimPolicy: found } = volume.spec;
  const time = reclaimTime(volume);
  if (!note || time === undefined || !(time <= now) || isBeingDeleted(volume) || !namesItsClaim(volume, note))
    return [];
  // Another claim has it, or is about to: retain notes that.
  if (claimRef?.uid !== undefined && (claimRef.uid !== note.claim.uid || claim?.metadata.uid === claimRef.uid))
    return [];
  const wants = claim && [undefined, "", volume.metadata.name].includes(claim.spec.volumeName);
  if (claimRef?.uid === undefined && wants) {
    const why = "there is a claim of that name without a volume: it is kept until that has one or is gone";
    const because = `${describeVolume(volume, note)} is due, but ${why}.`;
    return [about(PersistentVolume, volume).record(because, reclaimPostponed)];
  }
  const policy = found === "Retain" ? note.policy : found;
  const what =
    policy === "Retain"
      ? "stays Released, as it would have without Holdfast"
      : `is reclaimed by Kubernetes (${policy})`;
  const since = `was due at ${new Date(time).toISOString()} and nobody has come back for it`;
  const because = `${describeVolume(volume, note)} ${since}: it ${what}.`;
  // In one patch: with the policy alone it would be reclaimed only after the next claim, with the uid alone it would be
  // kept for ever.
  const spec = { persistentVolumeReclaimPolicy: policy, claimRef: { uid: note.claim.uid } };
  return [forget(volume, now, "VolumeHandedBack", because, spec)];
}
