import { isAlreadyExists } from "../../../shared/kubernetes/api-error.ts";
import { PersistentVolume, PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { ControllerTools } from "../controller.ts";
import { guardedPatch } from "../guarded-patch.ts";
import type { ClaimObject, ClassObject } from "../objects/storage.ts";
import { boundByController, provisionedBy, storageProvisioner } from "./annotations.ts";

/** The one provisioner built in, of the same name as kube-controller-manager's `--enable-hostpath-provisioner`. */
export const hostPath = "kubernetes.io/host-path";

/** Keeps a dynamically provisioned volume of reclaim policy Delete until what it stands for is deleted. */
export const volumeFinalizer = "kubernetes.io/pv-controller";

export const component = "persistentvolume-controller";

/**
 * Gets a volume made for a claim: by the hostpath provisioner a PersistentVolume already bound to the claim (no folder
 * is ever made); for any other provisioner the claim is marked for it, and the rest is up to it.
 */
export async function provision(
  { client, random, record }: ControllerTools,
  claim: ClaimObject,
  storageClass: ClassObject,
): Promise<void> {
  const { provisioner } = storageClass;
  if (provisioner !== hostPath && provisioner.startsWith("kubernetes.io/")) {
    const note = `no volume plugin matched name: ${provisioner}`;
    record(claim, { type: "Warning", reason: "ProvisioningFailed", note, by: component });
    return;
  }
  const marked = await markFor(provisioner);
  if (!marked) return;
  if (provisioner !== hostPath) {
    const note =
      `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the ` +
      "system administrator. If volume creation is delayed, please verify that the provisioner is running and " +
      "correctly registered.";
    record(marked, { type: "Normal", reason: "ExternalProvisioning", note, by: component });
    return;
  }
  const volume = hostPathVolume(marked, storageClass, random.uuid());
  try {
    await client.create(PersistentVolume, volume);
  } catch (error) {
    // Its name is made of the claim's uid: an earlier look made it.
    if (isAlreadyExists(error)) return;
    throw error;
  }
  const note = `Successfully provisioned volume ${volume.metadata.name} using ${provisioner}`;
  record(marked, { type: "Normal", reason: "ProvisioningSucceeded", note, by: component });

  async function markFor(name: string): Promise<ClaimObject | undefined> {
    if (storageProvisioner.every((annotation) => claim.metadata.annotations?.[annotation] === name)) return claim;
    const annotations = Object.fromEntries(storageProvisioner.map((annotation) => [annotation, name]));
    return guardedPatch(client, PersistentVolumeClaim, claim, { metadata: { annotations } });
  }
}

function hostPathVolume(claim: ClaimObject, storageClass: ClassObject, folder: string): KubernetesObject {
  const { namespace, name, uid, resourceVersion } = claim.metadata;
  const reclaimPolicy = storageClass.reclaimPolicy ?? "Delete";
  return {
    apiVersion: PersistentVolume.apiVersion,
    kind: PersistentVolume.kind,
    // The server sets what is missing.
    metadata: {
      name: `pvc-${uid}`,
      annotations: { [boundByController]: "yes", [provisionedBy]: hostPath },
      finalizers: reclaimPolicy === "Delete" ? [volumeFinalizer] : [],
    } as unknown as KubernetesObject["metadata"],
    spec: {
      accessModes: claim.spec.accessModes,
      capacity: { storage: claim.spec.resources?.requests?.storage },
      claimRef: { apiVersion: claim.apiVersion, kind: claim.kind, namespace, name, uid, resourceVersion },
      hostPath: { path: `/tmp/hostpath_pv/${folder}`, type: "" },
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: claim.spec.storageClassName,
      volumeMode: claim.spec.volumeMode,
    },
  };
}
