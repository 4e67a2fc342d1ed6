import type { Invariant } from "../../invariants/invariant.ts";
import { afterInTree } from "./after-in-tree.ts";
import { protectOnlyAdds, releaseSparesTheLiving } from "./keeps-to-its-claims.ts";
import { keepsUsedClaims } from "./keeps-used-claims.ts";
import { progressIsTrue, warningsAreTrue } from "./says-what-is-true.ts";
import { sparesOtherFields, sparesOtherFinalizers } from "./spares-what-is-not-ours.ts";

/** What must hold after every write where PVC protection is installed. */
export const invariants: readonly Invariant[] = [
  keepsUsedClaims,
  afterInTree,
  sparesOtherFinalizers,
  sparesOtherFields,
  protectOnlyAdds,
  releaseSparesTheLiving,
  progressIsTrue,
  warningsAreTrue,
];
