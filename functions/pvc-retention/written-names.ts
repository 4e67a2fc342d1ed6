import type { WrittenNames } from "../../shared/written-names.ts";
import { checkLabel } from "./lib/check-label.ts";

export const names: WrittenNames = {
  name: "pvc-retention",
  labels: {
    [checkLabel]: {
      means:
        "At each sweep, set-owner looks at the claims of this set: it has made the set the owner of a claim without " +
        "a pod, or has tried to within ten minutes, or the namespace says that claims are kept, and sync-policy has " +
        "not noted this yet.",
      ifChanged: "If you remove it while there is something to check, set-owner sets it again.",
    },
  },
};
