import type { Invariant } from "../../invariants/invariant.ts";
import { noReplicaMountsACondemnedClaim } from "./condemned-claims.ts";
import { followsThePolicySoon, graceIsNeverShortened, keepsWhatThePolicyKeeps } from "./deletions.ts";
import { fieldIsThePolicy } from "./field.ts";
import { finalizerLeavesLast } from "./finalizers.ts";
import {
  contestedIsLeftAlone,
  referencesAreRight,
  sparesKubernetesReferences,
  sparesUsersReferences,
} from "./references.ts";
import { sparesWhatIsNotOurs } from "./spares-what-is-not-ours.ts";

/** What must hold after every write where PVC retention is installed. */
export const invariants: readonly Invariant[] = [
  contestedIsLeftAlone,
  keepsWhatThePolicyKeeps,
  noReplicaMountsACondemnedClaim,
  graceIsNeverShortened,
  followsThePolicySoon,
  referencesAreRight,
  sparesUsersReferences,
  sparesKubernetesReferences,
  finalizerLeavesLast,
  fieldIsThePolicy,
  sparesWhatIsNotOurs,
];
