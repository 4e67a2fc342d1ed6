import { type Invariant, isBy, isClaim, leaving } from "../../invariants/invariant.ts";
import { removable } from "../protection.ts";

/** Protect leaves claims alone that are being deleted, and takes nothing away. */
export const protectOnlyAdds: Invariant = {
  name: "protect-only-adds",
  check(change) {
    if (!isBy(change, "pvc-protection/protect") || !isClaim(change)) return undefined;
    const { name, deletionTimestamp } = change.object.metadata;
    if (change.before?.metadata.deletionTimestamp) return `Claim ${name} is being deleted since ${deletionTimestamp}.`;
    return leaving(change).length > 0 ? `Claim ${name} lost a finalizer.` : undefined;
  },
};

/**
 * Release writes only on claims that are being deleted and carry its finalizer, or the one that no other program
 * removes.
 */
export const releaseSparesTheLiving: Invariant = {
  name: "release-spares-the-living",
  check(change) {
    if (!isBy(change, "pvc-protection/release") || !isClaim(change)) return undefined;
    const { name, deletionTimestamp, finalizers = [] } = change.before?.metadata ?? change.object.metadata;
    if (!deletionTimestamp) return `Claim ${name} is not being deleted.`;
    const waits = removable(change.by.process).some((finalizer) => finalizers.includes(finalizer));
    return waits ? undefined : `Claim ${name} does not wait for us.`;
  },
};
