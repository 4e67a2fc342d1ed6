import { z } from "zod";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readOwnAnnotation } from "../../../shared/kubernetes/read-annotation.ts";
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
  const text = JSON.stringify({ v: 1, uid: object.metadata.uid, ...record });
  return annotate(kindOf(object), object, { [movingKey]: text, ...more });
}

export type MovingRecord = z.output<typeof schema>;

/** The record of this very object; what is damaged, or was copied from another object, counts as none. */
export const readMoving = (object: KubernetesObject): MovingRecord | undefined =>
  readOwnAnnotation(object, movingKey, schema);
