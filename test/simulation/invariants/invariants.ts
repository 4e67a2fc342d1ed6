import { afterInTree } from "./after-in-tree.ts";
import type { Invariant } from "./invariant.ts";
import { protectOnlyAdds, releaseSparesTheLiving } from "./keeps-to-its-claims.ts";
import { keepsUsedClaims } from "./keeps-used-claims.ts";
import { sparesOtherFields, sparesOtherFinalizers } from "./spares-what-is-not-ours.ts";
import { progressIsTrue, warningsAreTrue } from "./tells-the-truth.ts";
import { writesLittle } from "./writes-little.ts";
import { writesOntoWhatWasRead } from "./writes-onto-what-was-read.ts";

/** What must hold after every write. */
export const invariants: readonly Invariant[] = [
  keepsUsedClaims,
  afterInTree,
  sparesOtherFinalizers,
  sparesOtherFields,
  writesOntoWhatWasRead,
  protectOnlyAdds,
  releaseSparesTheLiving,
  progressIsTrue,
  warningsAreTrue,
  writesLittle,
];
