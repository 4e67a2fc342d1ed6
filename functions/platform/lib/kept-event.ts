import * as z from "zod";
import { namespaceName, objectName } from "../../../shared/names.ts";

/** The ConfigMap in which `dead-letter` keeps events that functions did not take. */
export const shippedBuffer = "holdfast-dead-letters";

/** The type of the sweep's own events, and the source of all that it sends. */
export const sweepType = "dev.holdfast.sweep";
export const sweepSource = "https://holdfast.dev/platform/sweep";

/** Types of what sources send: a function hears of a kind by these, and need not hear of it by the sweep. */
const ofSources = /^dev\.knative\.apiserver\.(resource|ref)\.(add|update|delete)$/;

/** The type with which such an event is sent again. */
export const resendType = ({ attributes: { type } }: KeptEvent) => (ofSources.test(type) ? type : sweepType);

/** Whether a key of that ConfigMap is one of an event. */
export const isEventKey = (key: string) => /^\d{8}T\d{6}-\d{3}Z-[A-Za-z0-9]+\.json$/.test(key);

/** An event is known by the end of its key, which a sender has not chosen. */
export const idOf = (key: string): string => (key.split("-").at(-1) ?? "").slice(0, 8);

/** The key under which `dead-letter` says of which functions it has left out events that can be taken later. */
export const leftOutKey = "left-out.json";

const times = z.record(z.string(), z.iso.datetime());

/** When events were last left out, by function as `<name>.<namespace>` (RFC 3339); none where that cannot be read. */
export function readLeftOut(data: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  try {
    return times.safeParse(JSON.parse(data[leftOutKey] ?? "{}")).data ?? {};
  } catch {
    return {};
  }
}

/** As much of a kept event as says which object it was about, and whether it can be taken later. */
export interface KeptEvent {
  /** When it came to `dead-letter` (milliseconds since the epoch). */
  readonly received: number;
  /** Since when events of this object fail in this function, where it is not the first one. */
  readonly since?: number | undefined;
  readonly attributes: {
    readonly type: string;
    readonly source?: string | undefined;
    readonly apiversion: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
  };
  /** The function, as `<name>.<namespace>`; empty where the broker did not say. */
  readonly destination: string;
  /** The HTTP status of the last attempt; empty when there was no answer. */
  readonly code: string;
  /** There is no such function. */
  readonly unknown?: true | undefined;
}

const schema = z.object({
  received: z.number(),
  since: z.number().optional(),
  attributes: z.object({
    type: z.string(),
    source: z.string().optional(),
    apiversion: z.string(),
    kind: z.string(),
    namespace: namespaceName.or(z.literal("")).default(""),
    name: objectName,
  }),
  destination: z.string(),
  code: z.string(),
  unknown: z.literal(true).optional(),
});

/** Reads a kept event, of which anyone may have sent the text; `undefined` where it names no object. */
export function readKeptEvent(text = ""): KeptEvent | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Milliseconds in which the sweep sends such an event with each tick. */
export const often = 3_600_000;
/** What is older was resynced since (milliseconds). */
export const longest = 6 * 3_600_000;

/** No answer, and what a function says when the API server or its external system is away or has too much to do. */
const away = ["", "408", "429", "502", "503", "504"];
/**
 * What the API server, an external system or the function refuses. It may do so for a while only: a role that is
 * replaced, a policy or a webhook that forbids, a setting that is wrong. The sweep's event is well-formed, and short.
 */
const refused = ["400", "401", "403", "413", "415", "422"];
const canEnd = new Set([...away, ...refused]);

/** When and why a function did not take an event. */
export type Failure = Pick<KeptEvent, "received" | "since" | "destination" | "code" | "unknown">;

/**
 * When the sweep sends an event for the object again (milliseconds since the epoch); `undefined` for never: the
 * function has a defect, or does not exist. What has failed for more than an hour is sent ever more rarely,
 * after half as long again as it has failed.
 */
export function resendAt({ received, since = received, destination, code, unknown }: Failure): number | undefined {
  if (!canEnd.has(code) || (unknown && destination !== "")) return undefined;
  const failing = received - since;
  return failing < often ? received : received + failing / 2;
}
