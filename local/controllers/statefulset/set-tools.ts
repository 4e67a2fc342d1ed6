import type { Reflection } from "../../../eventing/watch/reflect.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { ControllerTools } from "../controller.ts";
import type { PodObject } from "../objects/pod.ts";
import type { ClaimObject } from "../objects/storage.ts";
import type { RevisionObject, SetObject } from "./set.ts";

/** What the parts of the controller work with. */
export interface SetTools extends ControllerTools {
  pods: Reflection<PodObject>;
  claims: Reflection<ClaimObject>;
  revisions: Reflection<RevisionObject>;
}

/** Shows on the set how an attempt at one of its pods ended. */
export function recordPod(tools: SetTools, set: SetObject, verb: string, pod: KubernetesObject, error?: unknown): void {
  const attempt = `${verb} Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
  recordAttempt(
    tools,
    set,
    verb,
    error === undefined ? `${attempt} successful` : `${attempt} ${failure(error)}`,
    error,
  );
}

/** Shows on the set how the creation of a pod's claim ended. */
export function recordClaim(
  tools: SetTools,
  set: SetObject,
  claim: KubernetesObject,
  pod: KubernetesObject,
  error?: unknown,
): void {
  const attempt = `Create Claim ${claim.metadata.name}`;
  const where = `Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
  const note = error === undefined ? `${attempt} ${where} success` : `${attempt} for ${where} ${failure(error)}`;
  recordAttempt(tools, set, "Create", note, error);
}

function recordAttempt({ record }: SetTools, set: SetObject, verb: string, note: string, error: unknown): void {
  const [type, outcome] = error === undefined ? (["Normal", "Successful"] as const) : (["Warning", "Failed"] as const);
  record(set, { by: "statefulset-controller", type, reason: `${outcome}${verb}`, note });
}

const failure = (error: unknown) => `failed error: ${error instanceof Error ? error.message : error}`;

/** Strategic merge patch that makes an owner control an object, if the object is still the same one. */
export function adoption(object: KubernetesObject, reference: object): object {
  return { metadata: { uid: object.metadata.uid, ownerReferences: [reference] } };
}

/** Strategic merge patch that takes an owner's reference off an object, if the object is still the same one. */
export function release(object: KubernetesObject, owner: KubernetesObject): object {
  const reference = { $patch: "delete", uid: owner.metadata.uid };
  return { metadata: { uid: object.metadata.uid, ownerReferences: [reference] } };
}
