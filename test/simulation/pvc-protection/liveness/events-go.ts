import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import { claimsOf, environmentOf, has, type LivenessCheck, wasStripped } from "../../liveness/liveness-check.ts";
import { inTree } from "../may-run.ts";
import { ours } from "../protection.ts";

/** Events are stored in the form of the core group. */
type EventLike = KubernetesObject & {
  reason: string;
  reportingComponent: string;
  involvedObject: { uid: string; name: string };
};

/**
 * No Event of release is left of a claim that has been released. One may be left when a process died, or the API server
 * went away, between the write that lets the claim go and what comes after it. The API server forgets Events in an
 * hour.
 */
export const eventsGo: LivenessCheck = {
  name: "events-go",
  check(truth) {
    if (truth.disturbed) return undefined;
    const alone = environmentOf(truth, "pvc-protection-release").IN_TREE === "absent";
    for (const event of truth.history.live("Event") as readonly EventLike[]) {
      if (event.reportingComponent !== "holdfast.dev/pvc-protection-release") continue;
      const { uid, name } = event.involvedObject;
      const claim = claimsOf(truth).find(({ metadata }) => metadata.uid === uid);
      const holds = (one: KubernetesObject) => has(one, ours(truth)) || (alone && has(one, inTree));
      if (claim ? holds(claim) : wasStripped(truth, uid, ours(truth))) continue;
      return `The Event ${event.reason} of claim ${name} is left, although the claim was released.`;
    }
    return undefined;
  },
};
