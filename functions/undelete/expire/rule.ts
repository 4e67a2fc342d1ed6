import * as z from "zod";
import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Event, PersistentVolume, PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import { rule } from "../../../shared/rule.ts";
import { normal, warning } from "../../../shared/steps.ts";
import type { Claim, Volume } from "../../../shared/storage/volume.ts";
import { due } from "../../../shared/sweep.ts";
import {
  forget,
  holderOf,
  isLeftToKubernetes,
  isSaid,
  noteBounds,
  noteWrites,
  noting,
  offerKey,
  readNote,
  reclaimTime,
} from "../lib/note.ts";

/** A volume, and the claim of its name, which was read after it. */
export interface Facts {
  readonly volume: Volume;
  readonly claim: Claim | undefined;
}

export const expire = rule({
  ...noting,
  name: "undelete/expire",
  doc: "Lets Kubernetes reclaim a kept volume by its former policy when its time has come and no claim has it.",
  settings: z.object({}),
  // Nothing but time makes a volume due, and for that the sweep comes.
  triggers: [],
  permissions: [
    {
      resource: PersistentVolume,
      verbs: ["get", "patch"],
      why: "to see whether the time of a kept volume has come, and to give it its former reclaim policy back",
      writes: { ...noteWrites, fields: ["spec.persistentVolumeReclaimPolicy", "spec.claimRef.uid"] },
      bounds: [
        ...noteBounds,
        {
          on: ["patch"],
          says: "reserves a volume that is offered",
          cel:
            'oldObject.spec.?claimRef.?uid.orValue("") == "" || ' +
            'oldObject.spec.?claimRef.?uid.orValue("") == object.spec.?claimRef.?uid.orValue("")',
        },
      ],
    },
    { resource: PersistentVolumeClaim, verbs: ["get"], why: "to see whether a claim has taken the volume" },
    {
      resource: Event,
      verbs: ["create", "get", "delete"],
      why: "to record on the volume that its time is over, and to delete Events that no longer hold",
    },
  ],
  sweep: [due(PersistentVolume)],
  subjects: ({ kind, name }) => (kind === "PersistentVolume" ? [{ kind: PersistentVolume, name }] : []),
  look: async ({ name = "" }, { client }): Promise<Facts | undefined> => {
    const volume = await client.get<Volume>(PersistentVolume, undefined, name);
    const note = volume && readNote(volume);
    if (!note || !Number.isFinite(reclaimTime(volume))) return undefined;
    return { volume, claim: await client.get<Claim>(PersistentVolumeClaim, note.claim.namespace, note.claim.name) };
  },
  decide: (facts, now) => (facts ? decideOne(facts, now) : []),
});

function decideOne({ volume, claim }: Facts, now: number): readonly Decision[] {
  const note = readNote(volume);
  const time = reclaimTime(volume);
  if (!note || !(time <= now) || isBeingDeleted(volume) || holderOf(volume, note, claim) !== "none") return [];
  const title = `Volume ${volume.metadata.name} of claim ${note.claim.namespace}/${note.claim.name} was due at`;
  const at = new Date(time).toISOString();
  // A claim may wait for this offer. Reserve answers each one, and removes the annotation: the next sweep goes on.
  // Until then the due time in the note, which has passed, brings the sweep back.
  if (isSaid(volume) && !isLeftToKubernetes(volume)) {
    const why =
      `${title} ${at}, and stays: a person has written ${offerKey}=yes on it, and undelete/reserve has not seen this ` +
      "yet. When undelete/reserve has removed the annotation, a later sweep decides again. If the annotation stays, " +
      "look whether undelete/reserve runs.";
    return [about(PersistentVolume, volume).stop(why, { event: warning("ReclaimPostponed") })];
  }
  const isRetained = note.policy === "Retain";
  const message =
    `${title} ${at} and no claim has taken it: it ` +
    (isRetained ? "stays Released, as without Holdfast." : `is reclaimed by Kubernetes (${note.policy}).`);
  // In one patch: with the policy alone it would be reclaimed only after the next claim, with the uid alone it would be
  // kept for ever.
  const spec = { persistentVolumeReclaimPolicy: note.policy, claimRef: { uid: note.claim.uid } };
  return [forget(volume, normal(isRetained ? "VolumeLeftReleased" : "VolumeReclaimed"), message, spec)];
}
