import { z } from "zod";
import { isFarAhead } from "../clock.ts";
import type { Kind } from "../kubernetes/kind.ts";
import { notBeforeWritten } from "../kubernetes/last-written.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { readOwnAnnotation } from "../kubernetes/read-annotation.ts";
import { replaceAnnotation } from "../kubernetes/replace-annotation.ts";
import type { Write } from "../kubernetes/write.ts";

/**
 * Milliseconds within which a call takes effect, if at all: a caller listens for 170 s at most, its clock may be a
 * minute behind, and then some.
 */
export const takesEffectWithinMs = 600_000;

const schema = z.looseObject({
  v: z.literal(1),
  uid: z.string(),
  called: z.iso.datetime(),
  /** Calls that may be under way at once: the last one, and those before it that are not settled. 1 when absent. */
  calls: z.number().int().min(1).optional(),
  /** The system has answered the last call. */
  answered: z.literal(true).optional(),
  /** The system has refused the last call. */
  refused: z.literal(true).optional(),
});

/** The note of a call to an external system. A call that is answered or refused has no effect any more. */
export type CallInFlight = z.output<typeof schema>;

/** The note of the last call in this annotation; `undefined` where there is none, or another object's. */
export const readCall = (object: KubernetesObject, key: string): CallInFlight | undefined =>
  readOwnAnnotation(object, key, schema);

/**
 * Until when a call may still take effect, in milliseconds since the epoch like `now`; `undefined` when none can. For
 * one whose time is far ahead, this counts from now.
 */
export function mayTakeEffectUntil(call: CallInFlight | undefined, now: number): number | undefined {
  if (!call || unsettled(call) === 0) return undefined;
  const called = Date.parse(call.called);
  const end = (isFarAhead(called, now) ? now : called) + takesEffectWithinMs;
  return end > now ? end : undefined;
}

/** A call that may still take effect. */
export interface PendingCall {
  /** What is waited for, as a sentence. */
  readonly message: string;
  /** To be written with it, or a call whose time is far ahead is waited for without end: it counts as made now. */
  readonly writes: readonly Write[];
}

/** The call in this annotation, while it may take effect. `message` is given the time, in RFC 3339, of its end. */
export function pendingCall(
  kind: Kind,
  object: KubernetesObject,
  key: string,
  now: number,
  message: (until: string) => string,
): PendingCall | undefined {
  const call = readCall(object, key);
  const until = mayTakeEffectUntil(call, now);
  if (!call || until === undefined) return undefined;
  const at = notBeforeWritten(object, now);
  const [before = "", after] = [object.metadata.annotations?.[key], { ...call, called: new Date(at).toISOString() }];
  const isToBeDated = isFarAhead(Date.parse(call.called), at);
  const writes = isToBeDated ? [replaceAnnotation(kind, object, key, before, JSON.stringify(after))] : [];
  return { message: message(new Date(until).toISOString()), writes };
}

const unsettled = ({ calls = 1, answered, refused }: CallInFlight) => calls - (answered || refused ? 1 : 0);

/**
 * Whether the last call was made less than `pauseMs` ago, so that it is not repeated yet: each note comes back as an
 * event, also that of a call which is settled.
 */
export function wasJustCalled(call: CallInFlight | undefined, now: number, pauseMs: number): boolean {
  const called = Date.parse(call?.called ?? "");
  return called <= now && now < called + pauseMs;
}

/**
 * The annotation that notes a call, which begins `now`, with `more` fields: to be written under the object's
 * resourceVersion before the call, so that of two instances one is refused. `settled` says that this very call has been
 * answered or refused, and `unsent` brings back the former note where the call is not made.
 *
 * Where the API server does not answer the note's own write, the note may stand although the call is not made, and is
 * waited for. It is not taken back: of two runs that decide in one millisecond the other one may have written the same
 * text, and made its call.
 */
export function noteCall(kind: Kind, object: KubernetesObject, key: string, now: number, more: object = {}) {
  const before = readCall(object, key);
  const calls = 1 + (before && mayTakeEffectUntil(before, now) ? unsettled(before) : 0);
  const note = { v: 1, uid: object.metadata.uid, called: new Date(now).toISOString(), calls, ...more };
  const text = JSON.stringify(note);
  const becomes = (to: string | undefined) => replaceAnnotation(kind, object, key, text, to);
  return {
    annotations: { [key]: text },
    settled: (how: "answered" | "refused") => becomes(JSON.stringify({ ...note, [how]: true })),
    unsent: (former = object.metadata.annotations?.[key]) => becomes(former),
  };
}
