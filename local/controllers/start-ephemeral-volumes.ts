import { isAlreadyExists } from "../../shared/kubernetes/api-error.ts";
import { isBeingDeleted } from "../../shared/kubernetes/finalizer.ts";
import { PersistentVolumeClaim, Pod } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { ControllerTools, Running } from "./controller.ts";
import { startObjectQueue } from "./object-queue.ts";
import type { PodObject, Volume } from "./objects/pod.ts";

/** Makes the claims of generic ephemeral volumes, called `<pod>-<volume>` and controlled by their pod. */
export function startEphemeralVolumes(tools: ControllerTools): Running {
  const { client, reflections, record } = tools;
  const pods = reflections.of<PodObject>(Pod);
  const claims = reflections.of(PersistentVolumeClaim);
  const queue = startObjectQueue(tools, {
    controller: "ephemeral-volume-controller",
    objects: pods,
    reads: [claims],
    concerns: ({ spec: { volumes = [] } }) => volumes.some(({ ephemeral }) => ephemeral),
    async work(pod) {
      if (isBeingDeleted(pod)) return;
      for (const volume of pod.spec.volumes ?? []) if (volume.ephemeral) await ensure(pod, volume);
    },
  });

  async function ensure(pod: PodObject, volume: Volume): Promise<void> {
    const wanted = claimOf(pod, volume);
    const { namespace, name } = wanted.metadata;
    const isOwn = (claim: KubernetesObject | undefined) =>
      claim?.metadata.ownerReferences?.some(({ controller, uid }) => controller && uid === pod.metadata.uid);
    const cached = claims.get(namespace, name);
    if (isOwn(cached)) return;
    try {
      if (!cached) return void (await client.create(PersistentVolumeClaim, wanted));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      if (isOwn(await client.get(PersistentVolumeClaim, namespace, name))) return;
    }
    const owner = `${namespace}/${pod.metadata.name}`;
    const note =
      `ephemeral volume ${volume.name}: PVC ${namespace}/${name} was not created for pod ${owner} (pod is not ` +
      "owner)";
    record(pod, { type: "Warning", reason: "FailedBinding", note, by: "ephemeral_volume" });
  }

  claims.on((change, { metadata: { namespace, ownerReferences = [] } }) => {
    if (change !== "delete") return;
    for (const { kind, name, controller } of ownerReferences) {
      if (controller && kind === Pod.kind) queue.add(`${namespace}/${name}`);
    }
  });
  return queue;
}

function claimOf({ metadata: { namespace, name, uid } }: PodObject, volume: Volume): KubernetesObject {
  const { metadata, spec } = volume.ephemeral?.volumeClaimTemplate ?? {};
  const owner = { apiVersion: Pod.apiVersion, kind: Pod.kind, name, uid, controller: true, blockOwnerDeletion: true };
  return {
    apiVersion: PersistentVolumeClaim.apiVersion,
    kind: PersistentVolumeClaim.kind,
    // The server sets what is missing.
    metadata: {
      ...metadata,
      namespace,
      name: `${name}-${volume.name}`,
      ownerReferences: [owner],
    } as KubernetesObject["metadata"],
    spec,
  };
}
