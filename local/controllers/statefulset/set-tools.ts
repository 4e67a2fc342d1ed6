import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Reflection } from "../../watch/reflect.ts";
import type { ControllerTools } from "../controller.ts";
import type { PodObject } from "../objects/pod.ts";
import type { ClaimObject } from "../objects/storage.ts";
import type { OwnWrites } from "./own-writes.ts";
import type { RevisionObject, SetObject } from "./set.ts";

/** What the parts of the controller work with. */
export interface SetTools extends ControllerTools {
  sets: Reflection<SetObject>;
  pods: Reflection<PodObject>;
  claims: Reflection<ClaimObject>;
  revisions: Reflection<RevisionObject>;
  writes: OwnWrites;
  /** Whether the retention policy is obeyed, as it is since 1.23. */
  retention: boolean;
}

/** Shows on the set how an attempt at one of its pods or claims ended. */
export function recordAttempt(tools: SetTools, set: SetObject, verb: string, what: string, error?: unknown): void {
  const attempt = `${verb} ${what} in StatefulSet ${set.metadata.name}`;
  const message = error instanceof Error ? error.message : String(error);
  tools.record(set, {
    by: "statefulset-controller",
    ...(error === undefined
      ? { type: "Normal", reason: `Successful${verb}`, note: `${attempt} successful` }
      : { type: "Warning", reason: `Failed${verb}`, note: `${attempt} failed error: ${message}` }),
  });
}

/** Strategic merge patch that makes an owner control an object, if the object is still the same one. */
export function adoption(object: KubernetesObject, reference: object): object {
  return { metadata: { uid: object.metadata.uid, ownerReferences: [reference] } };
}

/** Strategic merge patch that takes an owner's reference off an object, if the object is still the same one. */
export function release(object: KubernetesObject, owner: KubernetesObject): object {
  const reference = { $patch: "delete", uid: owner.metadata.uid };
  return { metadata: { uid: object.metadata.uid, ownerReferences: [reference] } };
}
