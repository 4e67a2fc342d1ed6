import { noteCall } from "../../../shared/chain/call-in-flight.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { replaceAnnotation } from "../../../shared/kubernetes/replace-annotation.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { LinstorSatellite } from "./kinds.ts";
import { readRemoval, removalKey, removalPending } from "./noted-calls.ts";

/**
 * The writes that go with a call that begins `now` (milliseconds since the epoch): the note before it, which says
 * whether the node was `proven` to be empty, the change of this very note when LINSTOR has answered, and what makes it
 * the former one again, without its proof, where the call is not made.
 */
export function noteRemoval(satellite: KubernetesObject, now: number, proven?: true) {
  const { annotations, settled, unsent } = noteCall(LinstorSatellite, satellite, removalKey, now, { proven });
  return {
    before: annotate(LinstorSatellite, satellite, annotations),
    answered: settled("answered"),
    unsent: unsent(unprovenText(satellite)),
  };
}

/**
 * The write after which the note of a call does not say any more that the node was empty; `undefined` where it does not
 * say so. For a node that has got data since: a person who removes it then removes this data, too.
 */
export function withdrawProof(satellite: KubernetesObject): Write | undefined {
  const text = satellite.metadata.annotations?.[removalKey];
  const unproven = unprovenText(satellite);
  return text && unproven ? replaceAnnotation(LinstorSatellite, satellite, removalKey, text, unproven) : undefined;
}

/**
 * The write that removes the note of a call after which LINSTOR still lists the node; `undefined` where the call may
 * still take effect, or had proof. LINSTOR has refused the call. If the node disappears later, a person has removed it.
 */
export function withdrawCall(satellite: KubernetesObject, now: number): Write | undefined {
  const text = satellite.metadata.annotations?.[removalKey];
  const note = readRemoval(satellite);
  if (!text || !note || note.proven) return undefined;
  const pending = removalPending(satellite, now);
  // A time far ahead is replaced: the note would stand until then, as if Holdfast had removed a node that a person has.
  if (pending) return pending.writes[0];
  return replaceAnnotation(LinstorSatellite, satellite, removalKey, text, undefined);
}

function unprovenText(satellite: KubernetesObject): string | undefined {
  const note = readRemoval(satellite);
  return note?.proven ? JSON.stringify({ ...note, proven: undefined }) : undefined;
}
