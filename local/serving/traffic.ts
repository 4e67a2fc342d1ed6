import { z } from "zod";

/** An entry of a Service's `spec.traffic`. */
export interface TrafficTarget {
  /** Gives the entry an address of its own, `<tag>-<service>`, with any percentage. */
  readonly tag?: string;
  /** The revision it goes to; absent: the newest one that is ready. */
  readonly revisionName?: string;
  /** How many of a hundred requests to the Service it gets. */
  readonly percent: number;
}

/** What a Service without `traffic` means. */
export const allToLatest: readonly TrafficTarget[] = [{ percent: 100 }];

const target = z
  .strictObject({
    tag: z
      .string()
      .regex(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/, "is no DNS label")
      .optional(),
    revisionName: z.string().min(1).optional(),
    latestRevision: z.boolean().optional(),
    percent: z.number().int().min(0).max(100).default(0),
  })
  .superRefine(({ revisionName, latestRevision }, context) => {
    if (latestRevision !== undefined && latestRevision !== (revisionName === undefined))
      context.addIssue(`revisionName ${revisionName ?? "is missing"} where latestRevision is ${latestRevision}`);
  })
  .transform(
    ({ tag, revisionName, percent }): TrafficTarget => ({
      percent,
      ...(tag === undefined ? {} : { tag }),
      ...(revisionName === undefined ? {} : { revisionName }),
    }),
  );

/** Reads `spec.traffic` by the rules of Knative's webhook. */
export const traffic: z.ZodType<readonly TrafficTarget[]> = z
  .array(target)
  .superRefine((targets, context) => {
    if (targets.length === 0) return;
    const sum = targets.reduce((sum, { percent }) => sum + percent, 0);
    if (sum !== 100) context.addIssue(`the percentages add up to ${sum} and not to 100`);
    const tags = targets.flatMap(({ tag }) => tag ?? []);
    for (const tag of new Set(tags))
      if (tags.indexOf(tag) !== tags.lastIndexOf(tag)) context.addIssue(`the tag ${tag} is given twice`);
  })
  .transform((targets) => (targets.length === 0 ? allToLatest : targets));

/**
 * Deals requests out to those who share them: of a hundred in a row each gets its percentage, and its turns are spread
 * evenly. Returns `undefined` when no revision has a share.
 */
export function dealOut<T>(shares: readonly { readonly to: T; readonly percent: number }[]): () => T | undefined {
  const credits = shares.filter(({ percent }) => percent > 0).map((share) => ({ ...share, credit: 0 }));
  return () => {
    let next: (typeof credits)[number] | undefined;
    for (const one of credits) {
      one.credit += one.percent;
      if (!next || one.credit > next.credit) next = one;
    }
    if (next) next.credit -= 100;
    return next?.to;
  };
}
