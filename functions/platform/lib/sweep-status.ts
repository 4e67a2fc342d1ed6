import * as z from "zod";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";

/** The annotation on the table's ConfigMap that says how far the sweep has come. */
export const statusKey = "holdfast.dev/platform.sweep";

/** The two passes of a tick, in their order. */
const phases = ["urgent", "rest"] as const;
export type Phase = (typeof phases)[number];

const cursor = z.object({ phase: z.enum(phases), list: z.string(), namespace: z.string(), name: z.string() });

const schema = z.looseObject({
  v: z.literal(1),
  uid: z.string(),
  /** Everything that fell due up to this time has been sent. RFC 3339. */
  at: z.string(),
  /** When the last tick began, and the pauses before it and before the tick before that (milliseconds). */
  began: z.iso.datetime().optional(),
  pauses: z.array(z.number()).optional(),
  /** Which rows the table had: those that come later are resynced at once. */
  table: z.string().optional(),
  /** Which channels and subscribers the brokers had: when they are others, everything is resynced. */
  channels: z.string().optional(),
  /** Since when each source and broker has been Ready: when one has become so again, everything is resynced. */
  ways: z.record(z.string(), z.string()).optional(),
  /** When everything was last resynced for such a reason; those of the last hour. */
  waysBack: z.array(z.iso.datetime()).optional(),
  /** Set while a pass is unfinished: the last object sent in it, and the time up to which the pass looks. */
  cursor: cursor.optional(),
  until: z.string().optional(),
  /** Brokers and lists of which everything is resynced by the next tick, with when they failed. */
  owed: z.record(z.string(), z.iso.datetime()).optional(),
  /** Which kept events of `dead-letter` have been sent again, by the end of their keys. */
  resent: z.array(z.string()).optional(),
  /** When the last of them was. */
  resentAt: z.iso.datetime().optional(),
  /** Functions for which everything was resynced, because more events of theirs had failed than are kept, with when. */
  madeUp: z.record(z.string(), z.iso.datetime()).optional(),
  /** Reasons of the Warnings that stand on the ConfigMap. */
  wrong: z.array(z.string()).optional(),
  because: z.string(),
});

/** The last object for which an event was sent, in the order of the API server's lists. */
export type Cursor = z.output<typeof cursor>;
export type Owed = Readonly<Record<string, string>>;
export type SweepStatus = z.output<typeof schema>;

/**
 * The status on the ConfigMap; `undefined` when there is none, or it is damaged or was copied from another ConfigMap.
 */
export function readStatus({ metadata }: KubernetesObject): SweepStatus | undefined {
  try {
    const status = schema.parse(JSON.parse(metadata.annotations?.[statusKey] ?? ""));
    const times = [status.at, status.until ?? status.at];
    return status.uid === metadata.uid && times.every((time) => !Number.isNaN(Date.parse(time))) ? status : undefined;
  } catch {
    return undefined;
  }
}
