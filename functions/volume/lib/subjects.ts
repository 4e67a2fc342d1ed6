import type { Hint } from "../../../shared/event/hint.ts";
import { objectsIn } from "../../../shared/event/objects-in.ts";
import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import type { Subject } from "../../../shared/subject.ts";
import { Volume } from "./kinds.ts";
import type { PersistentVolumeObject } from "./persistent-volume.ts";
import type { VolumeObject } from "./volume.ts";

/** The Volume of this name. */
const volumeNamed = (name: string): Subject => ({ kind: Volume, name });

/** The Volume that an event is about, when a rule cares for it in the state that the event shows. */
export const volumesIn = (hint: Hint, cares: (volume: VolumeObject) => boolean): readonly Subject[] =>
  objectsIn(hint, [Volume], cares);

/** The Volume that controls the PersistentVolume of an event, when a rule cares for the latter. */
export function ownersIn(
  { kind, object, name }: Hint,
  cares: (persistentVolume: PersistentVolumeObject) => boolean = () => true,
): readonly Subject[] {
  if (kind !== PersistentVolume.kind) return [];
  if (!object) return [volumeNamed(name)];
  if (!cares(object)) return [];
  const owner = object.metadata.ownerReferences?.find(({ controller }) => controller);
  return owner?.kind === Volume.kind && owner.apiVersion === Volume.apiVersion ? [volumeNamed(owner.name)] : [];
}
