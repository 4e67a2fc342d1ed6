import * as z from "zod";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readOwnAnnotation } from "../../../shared/kubernetes/read-annotation.ts";
import { replaceAnnotation } from "../../../shared/kubernetes/replace-annotation.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { stop, type Verdict } from "./data/data-facts.ts";
import { LinstorSatellite } from "./kinds.ts";
import { isSeenDeleting } from "./machine.ts";

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
  /** Since when the condition said, at the beginning, that an evacuation before this one is completed. */
  former: ifWhole(z.string()),
  /** Since when other satellites were waited for. */
  awaited: ifWhole(time),
  /** When LINSTOR was last called to evacuate the node. */
  called: ifWhole(time),
  /** The resourceVersion of the Lease that the call was noted on: no other call was noted on the same. */
  onto: ifWhole(z.string()),
  /** The circumstances of that call: in the same ones it has the same answer. */
  tried: ifWhole(z.string()),
  /** Copies, by definition, of what had a diskful copy on the node before the first call. */
  before: ifWhole(z.record(z.string(), z.number().int().min(0))),
});

/** What is written down about an evacuation; times are RFC 3339. */
export type EvacuationRecord = z.output<typeof schema>;

type Changes = Partial<Pick<EvacuationRecord, "former" | "awaited" | "called" | "onto" | "tried" | "before">>;

/** It or its Machine is being deleted, as far as that is written down, or its evacuation has begun. A hint. */
export const isGoing = (satellite: KubernetesObject): boolean =>
  isBeingDeleted(satellite) || satellite.metadata.annotations?.[recordKey] !== undefined || isSeenDeleting(satellite);

/** The record of this very object; what is damaged, or was copied from another object, counts as none. */
export const readRecord = (object: KubernetesObject): EvacuationRecord | undefined =>
  readOwnAnnotation(object, recordKey, schema);

/**
 * Why nothing may go by the record, as a sentence: when LINSTOR was called, and how many copies there were before, are
 * written down together, and one of them is missing or cannot be read. To take the one for "never" may have LINSTOR
 * called again in the middle of a call, the other for "none" lets copies be missing in the end.
 */
export function damageOf(object: KubernetesObject): Verdict | undefined {
  const record = readRecord(object);
  if (!record) return undefined;
  const written: object = JSON.parse(object.metadata.annotations?.[recordKey] ?? "{}");
  const lost = (["called", "before"] as const).filter((key) => record[key] === undefined);
  if (lost.length === 0 || (lost.length === 2 && !lost.some((key) => key in written))) return undefined;
  const { name } = object.metadata;
  return stop(
    `The annotation ${recordKey} of LinstorSatellite ${name} is damaged (${lost.join(", ")}). It does not say any ` +
      "more which copies there were, or when LINSTOR was called. Holdfast calls, releases and removes nothing.",
    "Look in LINSTOR whether every volume of the node has its copies, and whether none is being made; then run " +
      `\`kubectl annotate linstorsatellite ${name} ${recordKey}-\``,
  );
}

/** The guarded patch that makes changes of the record, and sets these annotations with it; none where it says so. */
export function recordWrites(
  object: KubernetesObject,
  now: number,
  changes: Changes = {},
  note: Readonly<Record<string, string>> = {},
): readonly Write[] {
  const text = writeRecord(object, now, changes);
  const isNew = object.metadata.annotations?.[recordKey] !== text;
  return isNew ? [annotate(LinstorSatellite, object, { ...note, [recordKey]: text })] : [];
}

/** The write that takes back changes which were made `now`, where they still stand as `recordWrites` has made them. */
export function takeBackRecord(object: KubernetesObject, now: number, changes: Changes): Write {
  const text = writeRecord(object, now, changes);
  return replaceAnnotation(LinstorSatellite, object, recordKey, text, object.metadata.annotations?.[recordKey]);
}

/** The annotation's text with changes made; without a record one that begins `now` (milliseconds since the epoch). */
export function writeRecord(object: KubernetesObject, now: number, changes: Changes = {}): string {
  const begun = { v: 1, uid: object.metadata.uid, begun: new Date(now).toISOString() };
  return JSON.stringify({ ...(readRecord(object) ?? begun), ...changes });
}
