/** What becomes of claims. */
export type Fate = "stay" | "go";

/** The four policies of the document, and what each does with claims; written down here apart from the rules. */
export const policies = {
  Retain: { scaled: "stay", deleted: "stay" },
  DeleteOnScaledownOnly: { scaled: "go", deleted: "stay" },
  DeleteOnStatefulSetDeletionOnly: { scaled: "stay", deleted: "go" },
  DeleteOnScaledownAndStatefulSetDeletion: { scaled: "go", deleted: "go" },
} as const satisfies Record<string, { scaled: Fate; deleted: Fate }>;

export type PolicyName = keyof typeof policies;

export const policyNames = Object.keys(policies) as readonly PolicyName[];

/** The longest of the names, which scenarios use often. */
export const both = "DeleteOnScaledownAndStatefulSetDeletion";
export const onScaledown = "DeleteOnScaledownOnly";
export const onDeletion = "DeleteOnStatefulSetDeletionOnly";
