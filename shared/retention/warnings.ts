import { owningRule } from "./owner-references.ts";

/** Warnings on claims that speak of their deletion, by the rule that tells them. Once a claim is to stay they are not true any more. */
export const warnings = {
  "pvc-retention/grace": {
    scheduled: "DeletionScheduled",
    unreadable: "UnreadableDeleteTime",
    postponed: "DeletionPostponed",
  },
  [owningRule]: { conflicting: "ConflictingController", fought: "OwnerReferenceTakenAway" },
} as const;
