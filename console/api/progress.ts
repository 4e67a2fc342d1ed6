import * as z from "zod";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { type Progress, progressKey, readProgress } from "../../shared/progress.ts";

const prefix = "holdfast.dev/";

/** What a rule has written down about an object. */
export interface LastWord extends Pick<Progress, "step" | "since" | "next" | "because"> {
  /** `<system>/<rule>`. */
  readonly rule: string;
}

/** The last word of every rule that has left one on this very object. */
export function lastWords(object: KubernetesObject): readonly LastWord[] {
  return Object.keys(object.metadata.annotations ?? {}).flatMap((key) => {
    if (!key.startsWith(prefix)) return [];
    const rule = key.slice(prefix.length).replaceAll(".", "/");
    const progress = progressKey(rule) === key ? readProgress(object, rule) : undefined;
    return progress ? [{ ...progress, rule }] : [];
  });
}

const conditions = z.array(
  z.looseObject({
    type: z.string(),
    status: z.string(),
    reason: z.string().optional(),
    message: z.string().optional(),
    lastTransitionTime: z.string().optional(),
  }),
);
/** A condition as pages show it. */
export type ShownCondition = z.output<typeof conditions>[number];

/** The conditions of an object's status; none where it has none, or they are no list of conditions. */
export function conditionsOf({ status }: KubernetesObject): readonly ShownCondition[] {
  return conditions.safeParse((status as { conditions?: unknown } | undefined)?.conditions).data ?? [];
}

/** One condition by its type. */
export const conditionOf = (object: KubernetesObject, type: string): ShownCondition | undefined =>
  conditionsOf(object).find((condition) => condition.type === type);
