import type { SetAndClaims } from "../../../shared/retention/look-at-set.ts";
import { nativePolicy } from "../../../shared/retention/policy.ts";
import { type RetentionPolicy, retentionInForce } from "../../../shared/retention/stateful-set.ts";

/** What holds for all claims of a set. */
export interface Ownership {
  /** Whether claims whose pod is there are looked after by Kubernetes' own controller. */
  readonly inTree: boolean;
  /** Whether claims are to belong to the set, so that they go with it. */
  readonly toSet: boolean;
  /** Whether claims of ordinals that the set does not want any more are condemned. */
  readonly condemned: boolean;
}

/**
 * A claim belongs to the set only while the policy is in force: with another value in the field, Kubernetes' own controller
 * would take each reference away that we put on, and bequeath sees to the claims when the set is deleted. Where claims
 * are kept for a while first, none belongs to anything.
 */
export function ownershipOf({ set, policy }: Pick<SetAndClaims, "set" | "policy">): Ownership {
  const inForce = retentionInForce(set);
  const native = policy && nativePolicy(policy);
  return {
    inTree: inForce !== undefined,
    toSet: native?.whenDeleted === "Delete" && (inForce === undefined || isSame(inForce, native)),
    condemned: native?.whenScaled === "Delete",
  };
}

const isSame = (one: RetentionPolicy, other: RetentionPolicy) =>
  one.whenDeleted === other.whenDeleted && one.whenScaled === other.whenScaled;
