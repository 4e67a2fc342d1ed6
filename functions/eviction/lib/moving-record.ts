import { z } from "zod";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readOwnAnnotation } from "../../../shared/kubernetes/read-annotation.ts";
import { replaceAnnotation } from "../../../shared/kubernetes/replace-annotation.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { kindOf } from "./kinds.ts";
import { movingKey } from "./names.ts";

const time = z.iso.datetime();
const schema = z.looseObject({
  v: z.number().int().min(1).max(2),
  uid: z.string(),
  /** How many have come to other agents. */
  moved: z.number().int().min(0),
  /** What is moved, by its id: to which agent, when Neutron was asked last, and how often. */
  moving: z.record(z.string(), z.object({ to: z.string(), at: time, tries: z.number().int().min(1) })),
  /** When the agent was seen without anything to serve, and was disabled. */
  disabled: time.optional(),
});

/** Notes the moves of an agent's eviction. */
export function noteMoving(
  object: KubernetesObject,
  record: Omit<MovingRecord, "v" | "uid">,
  more: Record<string, null> = {},
): Write {
  return annotate(kindOf(object), object, { [movingKey]: textOf(object, record), ...more });
}

/** Makes the record again what it was, where it is still as it was noted. */
export const takeBackMoving = (object: KubernetesObject, noted: Omit<MovingRecord, "v" | "uid">): Write =>
  replaceAnnotation(kindOf(object), object, movingKey, textOf(object, noted), object.metadata.annotations?.[movingKey]);

const textOf = (object: KubernetesObject, record: Omit<MovingRecord, "v" | "uid">): string =>
  JSON.stringify({ v: 1, uid: object.metadata.uid, ...record });

export type MovingRecord = z.output<typeof schema>;

/** The record of this very object; what is damaged, or was copied from another object, counts as none. */
export const readMoving = (object: KubernetesObject): MovingRecord | undefined =>
  readOwnAnnotation(object, movingKey, schema);
