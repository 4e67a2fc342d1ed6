import type { Client } from "../../../shared/kubernetes/client.ts";
import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { inTreeProtection } from "../../../shared/storage/protection.ts";
import type { PodObject, Volume } from "../objects/pod.ts";
import type { ClaimObject } from "../objects/storage.ts";

/**
 * Looks up, live, the claims of the volumes a pod's containers mount, and says as the kubelet does why the pod cannot
 * start; `undefined` when it can. Since 1.30.12 a claim being deleted is refused only without
 * `kubernetes.io/pvc-protection`.
 */
export async function checkVolumes(client: Client, pod: PodObject): Promise<string | undefined> {
  const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  const mounted = new Set(
    containers.flatMap(({ volumeMounts = [], volumeDevices = [] }) =>
      [...volumeMounts, ...volumeDevices].map(({ name }) => name),
    ),
  );
  const failed: { volume: string; problem: string }[] = [];
  for (const volume of pod.spec.volumes ?? []) {
    const problem = mounted.has(volume.name) && (await checkVolume(client, pod, volume));
    if (problem) failed.push({ volume: volume.name, problem });
  }
  if (!failed.length) return undefined;
  const names = failed.map(({ volume }) => volume).join(" ");
  const problems = failed.map(({ problem }) => problem).join("; ");
  return (
    `Unable to attach or mount volumes: unmounted volumes=[${names}], unattached volumes=[], ` +
    `failed to process volumes=[${names}]: ${problems}`
  );
}

async function checkVolume(client: Client, pod: PodObject, volume: Volume): Promise<string | undefined> {
  const name = volume.persistentVolumeClaim?.claimName ?? (volume.ephemeral && `${pod.metadata.name}-${volume.name}`);
  if (!name) return undefined;
  const { namespace } = pod.metadata;
  const claim = await client.get<ClaimObject>(PersistentVolumeClaim, namespace, name);
  const problem = claim
    ? problemOf(claim)
    : `failed to fetch PVC from API server: persistentvolumeclaims "${name}" not found`;
  if (problem) return `error processing PVC ${namespace}/${name}: ${problem}`;
  if (claim && volume.ephemeral && !isControlledBy(claim, pod)) {
    return `PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name} (pod is not owner)`;
  }
  return undefined;
}

function problemOf(claim: ClaimObject): string | undefined {
  if (isBeingDeleted(claim) && !hasFinalizer(claim, inTreeProtection)) return "PVC is being deleted";
  if (claim.status?.phase !== "Bound") return "PVC is not bound";
  return claim.spec.volumeName ? undefined : "PVC has empty pvc.Spec.VolumeName";
}

function isControlledBy(claim: KubernetesObject, { metadata: { uid } }: PodObject): boolean {
  return (claim.metadata.ownerReferences ?? []).some((owner) => owner.controller && owner.uid === uid);
}
