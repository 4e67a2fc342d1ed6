import { isAlreadyExists } from "../../../shared/kubernetes/api-error.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import { guardedPatch } from "../guarded-patch.ts";
import type { ClaimObject } from "../objects/storage.ts";
import { claimNameOf } from "./identity.ts";
import { claimsOf } from "./make-pod.ts";
import { hasUnexpectedController, isLeftBehind, type Occupant, ownersAreRight, rightOwners } from "./retention.ts";
import type { SetObject } from "./set.ts";
import { recordClaim, type SetTools } from "./set-tools.ts";

/**
 * Creates the claims of an ordinal that are missing. Fails, after it has tried them all, when one cannot be created or
 * is being deleted: a pod put on that one would lose its storage, or wait for ever.
 */
export async function ensureClaims(tools: SetTools, set: SetObject, { pod, ordinal }: Occupant): Promise<void> {
  const failures: string[] = [];
  for (const claim of claimsOf(set, ordinal)) {
    const { namespace, name } = claim.metadata;
    const present = tools.claims.get(namespace, name);
    if (present) {
      if (isBeingDeleted(present)) failures.push(`pvc ${name} is being deleted`);
      continue;
    }
    try {
      await tools.client.create(PersistentVolumeClaim, claim);
      recordClaim(tools, set, claim, pod);
    } catch (error) {
      failures.push(`failed to create PVC ${name}: ${error instanceof Error ? error.message : error}`);
      // The cache has not seen it yet.
      if (!isAlreadyExists(error)) recordClaim(tools, set, claim, pod, error);
    }
  }
  if (failures.length) throw new Error(failures.join("; "));
}

/** Whether the claims of an ordinal, those that exist, have the owner references that the policy asks for. */
export function claimsHaveRightOwners(tools: SetTools, set: SetObject, occupant: Occupant): boolean {
  return claimsThere(tools, set, occupant).every((claim) => ownersAreRight(claim, set, occupant));
}

/** Gives the claims of an ordinal the owner references that the policy asks for. */
export async function fixOwners(tools: SetTools, set: SetObject, occupant: Occupant): Promise<void> {
  for (const claim of claimsThere(tools, set, occupant)) {
    if (hasUnexpectedController(claim, set, occupant.pod)) {
      const note =
        `PersistentVolumeClaim ${claim.metadata.name} has a conflicting OwnerReference that acts as a managing ` +
        "controller, the retention policy is ignored for this claim";
      tools.record(set, { by: "statefulset-controller", type: "Warning", reason: "ConflictingController", note });
    }
    if (ownersAreRight(claim, set, occupant)) continue;
    const owners = rightOwners(claim, set, occupant);
    const metadata = { ownerReferences: owners.length ? owners : null };
    await guardedPatch(tools.client, PersistentVolumeClaim, claim, { metadata });
  }
}

/** Whether a claim of the ordinal is about to go with an earlier pod. */
export function hasClaimLeftBehind(tools: SetTools, set: SetObject, occupant: Occupant): boolean {
  return claimsThere(tools, set, occupant).some((claim) => isLeftBehind(claim, set, occupant.pod));
}

/** The claims of the ordinal that there are. */
function claimsThere({ claims }: SetTools, set: SetObject, { ordinal }: Occupant): ClaimObject[] {
  const templates = set.spec.volumeClaimTemplates ?? [];
  return templates.flatMap(
    ({ metadata: { name } }) => claims.get(set.metadata.namespace, claimNameOf(set, name, ordinal)) ?? [],
  );
}
