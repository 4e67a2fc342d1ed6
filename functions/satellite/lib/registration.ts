import { z } from "zod";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readOwnAnnotation } from "../../../shared/kubernetes/read-annotation.ts";
import { replaceAnnotation } from "../../../shared/kubernetes/replace-annotation.ts";
import { LinstorSatellite } from "./kinds.ts";

/**
 * Annotation of a LinstorSatellite: when LINSTOR was last called to register its node. It is written under the object's
 * resourceVersion before each call, so that none begins once the satellite is being deleted; and while one may still be
 * under way, a node that is not listed does not prove that there will be none. So the object itself is the lock that a
 * Lease would be.
 */
export const registrationKey = "holdfast.dev/registration";

/**
 * Milliseconds within which a call has its effect, if at all: a caller listens for 170 s at most, its clock may be a
 * minute behind, and then some.
 */
const effective = 600_000;

const schema = z.looseObject({
  v: z.literal(1),
  uid: z.string(),
  called: z.iso.datetime(),
  /** Calls that may be under way at once: the last one, and those before it whose effect no one has seen. */
  calls: z.number().int().min(1),
  /** LINSTOR has refused the last call, which has no effect any more. */
  refused: z.literal(true).optional(),
});

const read = (satellite: KubernetesObject) => readOwnAnnotation(satellite, registrationKey, schema);

/**
 * The annotation's text for a call that begins `now` (milliseconds since the epoch), and the change of this very text
 * where LINSTOR refuses the call. It stays, refused: without it the next look would call again at once.
 */
export function noteRegistration(satellite: KubernetesObject, now: number) {
  const before = read(satellite);
  const calls = (before?.calls ?? 0) + (before?.refused ? 0 : 1);
  const note = { v: 1, uid: satellite.metadata.uid, called: new Date(now).toISOString(), calls };
  const text = JSON.stringify(note);
  const after = JSON.stringify({ ...note, refused: true });
  return { text, refused: replaceAnnotation(LinstorSatellite, satellite, registrationKey, text, after) };
}

/**
 * When this satellite's node was last called for; `undefined` when never, or when that was written for another object.
 */
export function lastRegistration(satellite: KubernetesObject): number | undefined {
  const record = read(satellite);
  return record && Date.parse(record.called);
}

/** Whether a node that is listed proves that no call is under way any more: there was one, and this is its effect. */
export const isRegisteredOnce = (satellite: KubernetesObject): boolean => read(satellite)?.calls === 1;

/**
 * Until when a call to register the node may still have its effect; `undefined` when none can. A clock that was set
 * back makes no rule wait longer than a call may take.
 */
export function registrationUntil(satellite: KubernetesObject, now: number): number | undefined {
  const record = read(satellite);
  const called = lastRegistration(satellite);
  if (called === undefined || now >= called + effective) return undefined;
  // Only the last one was: an earlier one may be under way.
  if (record?.refused && record.calls === 1) return undefined;
  return Math.min(called, now) + effective;
}
