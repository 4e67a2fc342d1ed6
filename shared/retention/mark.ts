import * as z from "zod";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { type Progress, readProgress } from "../progress.ts";
import { deleteAtKey } from "./traces.ts";

/** The rule that marks claims, and whose progress on a claim says why. */
export const markingRule = "pvc-retention/grace";

const causes = ["scaled-down", "set-deleting", "set-deleted"] as const;

/**
 * Why a claim is to go. `set-deleting` becomes `set-deleted` when the set was seen to be still on its way out with its claims
 * after the mark was on the claim: whoever keeps the claims after all sees the mark then, and takes it away.
 */
export type Cause = (typeof causes)[number];

const details = z.object({
  step: z.enum(["marked", "unreadable", "saved"]),
  set: z.string().min(1),
  setUid: z.string().min(1),
  cause: z.enum(causes),
  policy: z.string(),
  generation: z.number().optional(),
});

/** What the rule wrote down about a claim that it has marked. */
export interface Mark {
  /** `marked`: it goes when its time has come. `unreadable`: nobody can tell when that is. `saved`: somebody took the mark away. */
  readonly step: "marked" | "unreadable" | "saved";
  /** The set on whose behalf, and which incarnation of it. */
  readonly set: string;
  readonly setUid: string;
  readonly cause: Cause;
  /** The name of the policy then. */
  readonly policy: string;
  /** The set's generation when it was last seen not to want the claim; versions from before this was noted wrote none. */
  readonly generation?: number | undefined;
  readonly progress: Progress;
}

/**
 * What is known of a claim's mark; `undefined` when the rule has not marked this very claim: a mark that was copied, restored
 * or written by hand says nothing.
 */
export function readMark(claim: KubernetesObject): Mark | undefined {
  const progress = readProgress(claim, markingRule);
  const known = details.safeParse(progress);
  return progress && known.success ? { ...known.data, progress } : undefined;
}

/**
 * Whether the set may have used the claim again since it was last looked at: wanting it and then no more takes two changes of the
 * set's spec, or one and its deletion, and each counts one generation on.
 */
export function mayHaveServedSince({ metadata }: KubernetesObject, { generation }: Pick<Mark, "generation">): boolean {
  return generation !== undefined && Number(metadata.generation) - generation > 1;
}

/**
 * When a marked claim goes, in milliseconds since the epoch: what stands on the claim, which people may change. `undefined` when
 * there is no mark, NaN when it is no RFC 3339 time.
 */
export function deleteTime({ metadata }: KubernetesObject): number | undefined {
  const text = metadata.annotations?.[deleteAtKey]?.trim();
  if (text === undefined) return undefined;
  return /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/.test(text)
    ? Date.parse(text.toUpperCase())
    : Number.NaN;
}
