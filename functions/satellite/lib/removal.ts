import { z } from "zod";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readOwnAnnotation } from "../../../shared/kubernetes/read-annotation.ts";

/**
 * Annotation of a LinstorSatellite: LINSTOR was called to remove its node, and whether it has answered. It is written
 * under the object's resourceVersion before the call. A call that is carried out late removes whichever node has the
 * name then, with all data on it. So the LinstorSatellite stays, and with it the name is taken, until the call is
 * answered or can no longer take effect.
 */
export const removalKey = "holdfast.dev/removal";

/** Milliseconds within which a call takes effect, if at all: a caller listens for 170 s at most, and then some. */
const latest = 600_000;

const schema = z.looseObject({
  v: z.literal(1),
  uid: z.string(),
  called: z.iso.datetime(),
  answered: z.literal(true).optional(),
  /** The node was empty, and all that was on it elsewhere. */
  proven: z.literal(true).optional(),
});

/** The note of the last call, where there is one that can be read. */
export const readRemoval = (satellite: KubernetesObject) => readOwnAnnotation(satellite, removalKey, schema);

/** Whether a node that LINSTOR does not list was removed by us, who had proof that it may be, or the order to. */
export const isRemovalCalled = (satellite: KubernetesObject): boolean => readRemoval(satellite) !== undefined;

/** The same of a node that was empty then: whatever has happened to copies elsewhere since, it took none along. */
export const isRemovalProven = (satellite: KubernetesObject): boolean => readRemoval(satellite)?.proven === true;

/**
 * Whether LINSTOR was called to remove the node less than `pause` milliseconds ago, and is not to be called again yet:
 * the note of each call comes back as an event, also of one that LINSTOR has refused.
 */
export function wasJustCalled(satellite: KubernetesObject, now: number, pause: number): boolean {
  const called = Date.parse(readRemoval(satellite)?.called ?? "");
  return called <= now && now < called + pause;
}

/**
 * Why the satellite is not let go yet, and LINSTOR not called again, as a sentence: a call may still take effect.
 * `undefined` when none can. A clock that was set back makes nothing wait longer than a call may take.
 */
export function removalPending(satellite: KubernetesObject, now: number): string | undefined {
  const note = readRemoval(satellite);
  const called = Date.parse(note?.called ?? "");
  if (note?.answered || Number.isNaN(called) || now >= called + latest || now < called - latest) return undefined;
  const { name } = satellite.metadata;
  return (
    `LINSTOR was called to remove the node ${name}, and its answer did not arrive: the call may still take effect ` +
    `until ${new Date(called + latest).toISOString()}. The LinstorSatellite stays until then, so that no new node of ` +
    "this name is removed by it."
  );
}
