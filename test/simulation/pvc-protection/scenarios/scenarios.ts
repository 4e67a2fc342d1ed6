import type { Scenario } from "../../scenario.ts";
import { deletedWhileUsed, usedAlone } from "./deleted-while-used.ts";
import { finishedJobs } from "./finished-jobs.ts";
import { lateBinding, lateBindingAlone, lateBindingStripped } from "./late-binding.ts";
import { manyClaims, manyClaimsAlone } from "./many-claims.ts";
import { namespaceDeleted } from "./namespace-deleted.ts";
import { replaced, replacedAlone } from "./replaced.ts";
import { restlessClaim } from "./restless-claim.ts";
import { restoredAlone } from "./restored.ts";
import { inTreeControllerOff, inTreeOff, standingIn } from "./without-in-tree.ts";

/** Every scenario of PVC protection. */
export const scenarios: readonly Scenario[] = [
  deletedWhileUsed,
  usedAlone,
  manyClaims,
  manyClaimsAlone,
  replaced,
  replacedAlone,
  restoredAlone,
  namespaceDeleted,
  lateBinding,
  lateBindingAlone,
  lateBindingStripped,
  inTreeOff,
  inTreeControllerOff,
  standingIn,
  finishedJobs,
  restlessClaim,
];
