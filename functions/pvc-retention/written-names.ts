import type { WrittenNames } from "../../shared/written-names.ts";
import { checkLabel } from "./lib/check-label.ts";

export const names: WrittenNames = {
  name: "pvc-retention",
  labels: {
    [checkLabel]: {
      means:
        "At each sweep, set-owner looks at the claims of this set: it has made the set the owner of a claim without " +
        "a pod, or the namespace says that claims are kept, and sync-policy has not noted this yet.",
      ifChanged:
        "If you remove it, a claim that a pod of yours begins to use, or that gets other labels, keeps its owner " +
        "until the next change of the set or its next resync.",
    },
  },
};
