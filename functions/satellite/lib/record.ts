import { z } from "zod";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readOwnAnnotation } from "./annotation.ts";

/**
 * Annotation of a LinstorSatellite: an evacuation has begun, and what can no longer be found out about it. Where the
 * evacuation stands is never read from it.
 */
export const recordKey = "holdfast.dev/evacuation";

const time = z.iso.datetime();
/** What is damaged counts as not written down, and what stands beside it is kept: `damageOf` says what is missing. */
const ifWhole = <Schema extends z.ZodType>(field: Schema) => field.optional().catch(undefined);
const schema = z.looseObject({
  v: z.number().int().min(1).max(2),
  uid: z.string(),
  begun: time,
  /** Since when other satellites were waited for. */
  awaited: ifWhole(time),
  /** When LINSTOR was last called to evacuate the node. */
  called: ifWhole(time),
  /** Good copies, by definition, of what had a diskful copy on the node before the first call. */
  before: ifWhole(z.record(z.string(), z.number().int().min(0))),
});

/** What is written down about an evacuation; times are RFC 3339. */
export type EvacuationRecord = z.output<typeof schema>;

/** The record of this very object; what is damaged, or was copied from another object, counts as none. */
export const readRecord = (object: KubernetesObject): EvacuationRecord | undefined =>
  readOwnAnnotation(object, recordKey, schema);

/**
 * Why nothing may go by the record, as a sentence: when LINSTOR was called, and how many copies there were before, are
 * written down together, and one of them is missing or cannot be read. To take the one for "never" may have LINSTOR
 * called again in the middle of a call, the other for "none" lets copies be missing in the end.
 */
export function damageOf(object: KubernetesObject): string | undefined {
  const record = readRecord(object);
  if (!record) return undefined;
  const written: object = JSON.parse(object.metadata.annotations?.[recordKey] ?? "{}");
  const lost = (["called", "before"] as const).filter((key) => record[key] === undefined);
  if (lost.length === 0 || (lost.length === 2 && !lost.some((key) => key in written))) return undefined;
  const { name } = object.metadata;
  return (
    `The annotation ${recordKey} of LinstorSatellite ${name} is damaged (${lost.join(", ")}), and nobody knows any ` +
    "more which copies there were, or when LINSTOR was called: nothing is called, released or removed. Look in " +
    "LINSTOR whether every volume of the node has its copies, and whether none is being made; then run " +
    `kubectl annotate linstorsatellite ${name} ${recordKey}-`
  );
}

/** The annotation's text with changes made; without a record one that begins `now` (milliseconds since the epoch). */
export function writeRecord(
  object: KubernetesObject,
  now: number,
  changes: Partial<Pick<EvacuationRecord, "awaited" | "called" | "before">> = {},
): string {
  const begun = { v: 1, uid: object.metadata.uid, begun: new Date(now).toISOString() };
  return JSON.stringify({ ...(readRecord(object) ?? begun), ...changes });
}
