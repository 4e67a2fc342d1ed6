import { isAlreadyExists, isConflict } from "../../../shared/kubernetes/api-error.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Pod, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import { matchesLabelSelector } from "../../../shared/kubernetes/label-selector.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { PodObject } from "../objects/pod.ts";
import { claimsHaveRightOwners, ensureClaims, fixOwners } from "./claims.ts";
import { ordinalOf } from "./identity.ts";
import { controllerReference } from "./make-pod.ts";
import type { Occupant } from "./retention.ts";
import type { SetObject } from "./set.ts";
import { adoption, recordPod, release, type SetTools } from "./set-tools.ts";

/** A pod of a set, or one that is meant to be. */
export interface Member extends Occupant {
  pod: PodObject;
}

/** The reference to the controller of an object. */
export function controllerOf({ metadata }: KubernetesObject) {
  return metadata.ownerReferences?.find(({ controller }) => controller);
}

/**
 * The pods that are the set's. Takes in those without a controller that have its labels and a name of its own, and
 * lets go those it controls that have not; a set being deleted does neither.
 */
export async function gatherPods(tools: SetTools, set: SetObject): Promise<Member[]> {
  const members: Member[] = [];
  const mayAdopt = once(() => isStillWanted(tools, set));
  for (const pod of tools.pods.list(set.metadata.namespace)) {
    const controller = controllerOf(pod);
    if (controller && controller.uid !== set.metadata.uid) continue;
    const ordinal = matchesLabelSelector(set.spec.selector, pod.metadata.labels) ? ordinalOf(set, pod) : undefined;
    if (controller && ordinal !== undefined) members.push({ pod, ordinal });
    else if (isBeingDeleted(set)) continue;
    else if (controller) await write(tools, pod, release(pod, set));
    else if (ordinal !== undefined && !isBeingDeleted(pod) && (await mayAdopt())) {
      const adopted = await write(tools, pod, adoption(pod, controllerReference(set)));
      if (adopted) members.push({ pod: adopted, ordinal });
    }
  }
  return members;
}

/**
 * Whether the set exists and is not being deleted, by a live read: an orphaning deletion must not be undone by
 * adoption.
 */
async function isStillWanted({ client }: SetTools, { metadata }: SetObject): Promise<boolean> {
  const live = await client.get(StatefulSet, metadata.namespace, metadata.name, { metadataOnly: true });
  return live?.metadata.uid === metadata.uid && !isBeingDeleted(live);
}

/** Creates the claims of a pod and then the pod. */
export async function createPod(tools: SetTools, set: SetObject, member: Member): Promise<void> {
  try {
    await ensureClaims(tools, set, member);
  } catch (error) {
    recordPod(tools, set, "Create", member.pod, error);
    throw error;
  }
  const failure: unknown = await tools.client.create(Pod, member.pod).then(
    () => undefined,
    (error) => error,
  );
  // A pod of another owner has the name, or the cache has not seen ours yet.
  if (isAlreadyExists(failure)) throw failure;
  await fixOwners(tools, set, member).catch(failedUpdate(tools, set, member));
  recordPod(tools, set, "Create", member.pod, failure);
  if (failure !== undefined) throw failure;
}

/** Creates what a pod that waits has lost of its claims since it was created. */
export async function replaceLostClaims(tools: SetTools, set: SetObject, member: Member): Promise<void> {
  await ensureClaims(tools, set, member);
  await fixOwners(tools, set, member).catch(failedUpdate(tools, set, member));
}

/** Gives the claims of a pod the owners that they should have. */
export async function correctClaims(tools: SetTools, set: SetObject, member: Member): Promise<void> {
  if (claimsHaveRightOwners(tools, set, member)) return;
  await fixOwners(tools, set, member).catch(failedUpdate(tools, set, member));
  recordPod(tools, set, "Update", member.pod);
}

/** Deletes a pod, in its time; one that is gone has been deleted. */
export async function deletePod(tools: SetTools, set: SetObject, { pod }: Member): Promise<void> {
  const { namespace, name, uid } = pod.metadata;
  try {
    await tools.client.delete(Pod, namespace, name, { uid });
  } catch (error) {
    recordPod(tools, set, "Delete", pod, error);
    throw error;
  }
  recordPod(tools, set, "Delete", pod);
}

function failedUpdate(tools: SetTools, set: SetObject, { pod }: Member) {
  return (error: unknown) => {
    if (!isConflict(error)) recordPod(tools, set, "Update", pod, error);
    throw error;
  };
}

function write({ client }: SetTools, pod: PodObject, patch: object): Promise<PodObject | undefined> {
  const { namespace, name } = pod.metadata;
  return client.patch<PodObject>(Pod, namespace, name, "strategic", patch);
}

function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => {
    answer ??= ask();
    return answer;
  };
}
