import { type Invariant, isClaim, isOurs, leaving } from "../../invariants/invariant.ts";
import { hasEnded, type PodLike } from "../may-run.ts";
import { finalizerOf } from "../protection.ts";

/**
 * Our finalizer leaves no claim while a kubelet may run a pod with it; in document mode a pod that has ended does not
 * count.
 */
export const keepsUsedClaims: Invariant = {
  name: "keeps-used-claims",
  check(change, { history, mayRun }) {
    if (!isOurs(change) || !isClaim(change)) return undefined;
    const { process } = change.by;
    if (!leaving(change).includes(finalizerOf(process))) return undefined;
    const document = process.environment.MODE === "document";
    const users = history
      .live("Pod")
      .filter((pod) => mayRun.has(pod, change.object) && !(document && hasEnded(pod as PodLike)));
    const [user] = users;
    return user && `Claim ${change.object.metadata.name} was let go while pod ${user.metadata.name} may run with it.`;
  },
};
