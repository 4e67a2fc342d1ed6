import * as z from "zod";
import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Event, PersistentVolume, PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import { rule } from "../../../shared/rule.ts";
import { normal } from "../../../shared/steps.ts";
import type { Claim, Volume } from "../../../shared/storage/volume.ts";
import { due } from "../../../shared/sweep.ts";
import { forget, namesItsClaim, noted, readNote, reclaimTime, settle } from "../lib/note.ts";

/** A volume, and the claim of its name, which was read after it. */
export interface Facts {
  readonly volume: Volume;
  readonly claim: Claim | undefined;
}

export const expire = rule({
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
    if (!note || noted(volume) === undefined) return undefined;
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
  if (!note || isBeingDeleted(volume) || !namesItsClaim(volume, note)) return [];
  const time = reclaimTime(volume);
  if (time === undefined || !(time <= now)) return [settle(volume, note, now)];
  // Another claim has it, or is about to: retain notes that.
  if (claimRef?.uid !== undefined && (claimRef.uid !== note.claim.uid || claim?.metadata.uid === claimRef.uid))
    return [];
  const { name } = volume.metadata;
  const title = `Volume ${name} of claim ${note.claim.namespace}/${note.claim.name}`;
  const wants = claim && [undefined, "", name].includes(claim.spec.volumeName);
  if (claimRef?.uid === undefined && wants) {
    const because = `${title} is due, but there is a claim of that name without a volume: it is kept until that has one or is gone.`;
    return [about(PersistentVolume, volume).record(because, normal("ReclaimPostponed"))];
  }
  const policy = found === "Retain" ? note.policy : found;
  const what =
    policy === "Retain"
      ? "stays Released, as it would have without Holdfast"
      : `is reclaimed by Kubernetes (${policy})`;
  const because = `${title} was due at ${new Date(time).toISOString()} and nobody has come back for it: it ${what}.`;
  // In one patch: with the policy alone it would be reclaimed only after the next claim, with the uid alone it would be kept for ever.
  const spec = { persistentVolumeReclaimPolicy: policy, claimRef: { uid: note.claim.uid } };
  return [forget(volume, "VolumeHandedBack", because, spec)];
}
