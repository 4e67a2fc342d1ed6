import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import { type Invariant, isBy, isClaim, isOurs, type Truth } from "../../invariants/invariant.ts";
import { names, type PodLike } from "../may-run.ts";
import { progress } from "../protection.ts";

/** What release writes down about a claim is about this claim, and the pods that it names have used it. */
export const progressIsTrue: Invariant = {
  name: "progress-is-true",
  check(change, truth) {
    if (!isOurs(change) || !isClaim(change) || !change.after) return undefined;
    const text = change.after.metadata.annotations?.[progress];
    if (text === undefined || text === change.before?.metadata.annotations?.[progress]) return undefined;
    const { uid, pods = [] } = JSON.parse(text) as { uid: string; pods?: { pod: string }[] };
    const { name } = change.after.metadata;
    if (uid !== change.after.metadata.uid) return `Claim ${name} carries our progress of another one.`;
    const claim = change.after;
    const liar = pods.find(({ pod }) => !everBound(truth, pod, claim));
    return liar && `Claim ${name} is said to be held by pod ${liar.pod}, which never used it.`;
  },
};

/** A pod is warned only when a claim that it names is, or was while it lived, being deleted. */
export const warningsAreTrue: Invariant = {
  name: "warnings-are-true",
  check(change, { changes }) {
    if (!isBy(change, "pvc-protection/warn") || !change.after) return undefined;
    // Events are stored in the form of the core group.
    const { involvedObject: about } = change.after as KubernetesObject & {
      involvedObject: { uid: string; name: string };
    };
    const pod = changes.find(({ object }) => object.metadata.uid === about.uid)?.object as PodLike | undefined;
    if (!pod) return `Pod ${about.name} was warned, which there never was.`;
    const deleting = changes.some(
      ({ object }) =>
        object.kind === "PersistentVolumeClaim" && object.metadata.deletionTimestamp && names(pod, object),
    );
    return deleting ? undefined : `Pod ${about.name} was warned of a deletion that no user asked for.`;
  },
};

function everBound({ changes }: Truth, podName: string, claim: KubernetesObject): boolean {
  return changes.some(({ object }) => {
    const pod = object as PodLike;
    return pod.kind === "Pod" && pod.metadata.name === podName && pod.spec.nodeName !== undefined && names(pod, claim);
  });
}
