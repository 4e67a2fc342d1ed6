import * as z from "zod";
import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Event, PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import { on, rule } from "../../../shared/rule.ts";
import { normal } from "../../../shared/steps.ts";
import { whileDeleting } from "../../../shared/sweep.ts";
import { type ChainFacts, stepOf } from "../lib/chain.ts";
import { Volume } from "../lib/kinds.ts";
import { lookAtVolume } from "../lib/look.ts";
import { isBinding, type PersistentVolumeObject } from "../lib/persistent-volume.ts";
import { ownersIn, volumesIn } from "../lib/subjects.ts";
import { volumeFinalizer } from "../lib/volume.ts";

const name = "volume/retire";

/** A Volume and its PersistentVolume; `undefined` when the Volume is gone. */
export type Facts = ChainFacts | undefined;

export const retire = rule({
  name,
  doc: "Deletes the PersistentVolume of a Volume that is to go, and waits until nobody uses it, saying who does.",
  settings: z.object({}),
  wakes: [on(Volume, ["update"]), on(PersistentVolume, ["update"])],
  may: [
    { resource: Volume, verbs: ["get", "patch"] },
    { resource: PersistentVolume, verbs: ["get", "delete"] },
    { resource: Event, verbs: ["create", "get", "delete"] },
  ],
  sweep: [whileDeleting(Volume, volumeFinalizer)],
  steps: { held: normal("DeletionPostponed") },
  subjects: (hint) => [...volumesIn(hint, isBeingDeleted), ...ownersIn(hint, isBeingDeleted)],
  look: async ({ name = "" }, { client }): Promise<Facts> => lookAtVolume(client, name),
  decide,
});

function decide(facts: Facts): readonly Decision[] {
  if (!facts) return [];
  const { volume, persistentVolume } = facts;
  const { leave, wait, write } = about(Volume, volume);
  const title = `Volume ${volume.metadata.name}`;
  if (!isBeingDeleted(volume) || stepOf(facts) !== "retire" || !persistentVolume)
    return [leave(`${title} has no PersistentVolume to retire now.`)];
  const held = { step: { name: "held" } };
  if (isBeingDeleted(persistentVolume)) return [wait(`${title} is kept: ${whoHolds(persistentVolume)}`, held)];
  const { uid, resourceVersion } = persistentVolume.metadata;
  const because = `The PersistentVolume of ${title} is deleted with it, and goes when no claim is bound to it.`;
  const options = { uid, resourceVersion };
  const kind = PersistentVolume;
  return [
    write(because, [{ verb: "delete", kind, namespace: undefined, name: persistentVolume.metadata.name, options }]),
  ];
}

function whoHolds(persistentVolume: PersistentVolumeObject): string {
  const { metadata, spec, status } = persistentVolume;
  const { namespace, name: claim } = spec?.claimRef ?? {};
  if (claim && (status?.phase === "Bound" || isBinding(persistentVolume)))
    return `claim ${namespace}/${claim} is bound to it. Delete the claim when its data is no longer needed.`;
  const others = (metadata.finalizers ?? []).filter((finalizer) => finalizer !== volumeFinalizer);
  if (others.length > 0) return `its PersistentVolume is held by ${others.join(", ")}.`;
  return `its PersistentVolume is ${status?.phase || "in no known phase"}, and may be in use.`;
}
