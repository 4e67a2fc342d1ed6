/** The four policies of the document, and what each deletes; written down here apart from the rules. */
export const policies = {
  Retain: { scaled: "stay", deleted: "stay" },
  DeleteOnScaledownOnly: { scaled: "go", deleted: "stay" },
  DeleteOnStatefulSetDeletionOnly: { scaled: "stay", deleted: "go" },
  DeleteOnScaledownAndStatefulSetDeletion: { scaled: "go", deleted: "go" },
} as const;

export type PolicyName = keyof typeof policies;

export const policyNames = Object.keys(policies) as readonly PolicyName[];
