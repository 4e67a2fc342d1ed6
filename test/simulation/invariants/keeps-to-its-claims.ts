import { inTree } from "../world/may-run.ts";
import { decidesAlone, finalizerOf, type Invariant, isClaim, isOurs, leaving } from "./invariant.ts";

/** Protect leaves claims alone that are being deleted, and takes nothing away. */
export const protectOnlyAdds: Invariant = {
  name: "protect-only-adds",
  check(change) {
    if (!isOurs(change) || !isClaim(change) || change.by.process.rule !== "pvc-protection/protect") return undefined;
    const { name, deletionTimestamp } = change.object.metadata;
    if (change.before?.metadata.deletionTimestamp) return `Claim ${name} is being deleted since ${deletionTimestamp}.`;
    return leaving(change).length > 0 ? `Claim ${name} lost a finalizer.` : undefined;
  },
};

/** Release writes only on claims that are being deleted and carry its finalizer, or the one that nobody else removes. */
export const releaseSparesTheLiving: Invariant = {
  name: "release-spares-the-living",
  check(change) {
    if (!isOurs(change) || !isClaim(change) || change.by.process.rule !== "pvc-protection/release") return undefined;
    const { name, deletionTimestamp, finalizers = [] } = change.before?.metadata ?? change.object.metadata;
    if (!deletionTimestamp) return `Claim ${name} is not being deleted.`;
    const { process } = change.by;
    const own = [finalizerOf(process), ...(decidesAlone(process) ? [inTree] : [])];
    return own.some((finalizer) => finalizers.includes(finalizer)) ? undefined : `Claim ${name} does not wait for us.`;
  },
};
