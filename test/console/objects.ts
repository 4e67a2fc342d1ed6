import type { Client } from "../../shared/kubernetes/client.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";

const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString().replace(/\.\d+Z$/, "Z");
const inDays = (days: number) => at(-days * 1440);

/** What a rule writes down; it counts only with the uid of its object. */
export async function writeDown(
  admin: Client,
  kind: Kind,
  { namespace, name }: { readonly namespace?: string; readonly name: string },
  key: string,
  word: object,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const object = await admin.get<KubernetesObject>(kind, namespace, name);
  const text = JSON.stringify({ v: 1, uid: object?.metadata.uid, since: at(3), ...word });
  await admin.patch(kind, namespace, name, "merge", { metadata: { annotations: { [key]: text, ...more } } });
}

const storage = "storage.metalk8s.scality.com/v1alpha1";

export const node = (name: string, annotations: object = {}, labels: object = {}) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, annotations, labels },
});

export const storageClass = (name: string, volumeBindingMode = "WaitForFirstConsumer") => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name },
  provisioner: "kubernetes.io/no-provisioner",
  parameters: { fsType: "ext4" },
  volumeBindingMode,
});

const ready = {
  Available: { status: "True", reason: "" },
  Failed: { status: "False", reason: "CreationError" },
  Pending: { status: "Unknown", reason: "Pending" },
  Terminating: { status: "Unknown", reason: "Terminating" },
} as const;

/** A Volume in a phase; without one, no function has looked at it. */
export const volume = (name: string, phase?: keyof typeof ready, message = "", job = "") => ({
  apiVersion: storage,
  kind: "Volume",
  metadata: { name },
  spec: { nodeName: "node-1", storageClassName: "metalk8s", sparseLoopDevice: { size: "10Gi" } },
  ...(phase
    ? {
        status: {
          phase,
          job,
          conditions: [{ type: "Ready", ...ready[phase], message, lastTransitionTime: at(5), lastUpdateTime: at(5) }],
        },
      }
    : {}),
});

/** The PersistentVolume of a Volume, which its finalizer ties to it. */
export const persistentVolume = (name: string, phase: string, claim?: string) => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name, finalizers: ["storage.metalk8s.scality.com/volume-protection"] },
  spec: {
    capacity: { storage: "10Gi" },
    accessModes: ["ReadWriteOnce"],
    persistentVolumeReclaimPolicy: "Retain",
    storageClassName: "metalk8s",
    local: { path: `/dev/vg/${name}` },
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: ["node-1"] }] },
        ],
      },
    },
    ...(claim ? { claimRef: { namespace: "shop", name: claim, uid: `uid-of-${claim}` } } : {}),
  },
  status: { phase },
});

/** A volume of LINSTOR, whose handle is the name of its resource there. */
export const linstorVolume = (name: string, volumeHandle: string) => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name },
  spec: {
    capacity: { storage: "10Gi" },
    accessModes: ["ReadWriteOnce"],
    storageClassName: "linstor",
    csi: { driver: "linstor.csi.linbit.com", volumeHandle },
  },
});

export const namespace = (name: string, annotations: object = {}) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, annotations },
});

export const claim = (name: string, more: object = {}, labels: object = { app: "web" }) => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name, namespace: "shop", labels, finalizers: ["holdfast.dev/pvc-protection"], ...more },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "metalk8s" },
  status: { phase: "Bound" },
});

/** `owners`: its owner references. */
export const pod = (name: string, claimName: string, owners: readonly object[] = []) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "shop", ownerReferences: owners },
  spec: {
    nodeName: "node-1",
    containers: [{ name: "main", image: "web" }],
    volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
  },
  status: { phase: "Running" },
});

/** A set of three with a claim each, which says what becomes of them. */
export const statefulSet = (name: string, whenScaled: "Retain" | "Delete") => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name, namespace: "shop", annotations: { "holdfast.dev/pvc-delete-policy": "DeleteOnScaledownOnly" } },
  spec: {
    replicas: 3,
    serviceName: name,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "main", image: "web" }] } },
    persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled },
    volumeClaimTemplates: [
      {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
    ],
  },
});

/** A volume that is kept after its claim. */
export const keptVolume = (name: string) => ({
  ...persistentVolume(name, "Released", name),
  metadata: {
    name,
    labels: { "holdfast.dev/volume-of": "shop" },
    annotations: { "holdfast.dev/reclaim-at": inDays(name === "kept-1" ? 0.5 : 5) },
  },
});

export const keptNote = (name: string, step: "kept" | "asks" | "offered") => ({
  step,
  policy: "Delete",
  for: "7d",
  by: "namespace",
  claim: { namespace: "shop", name, uid: `uid-of-${name}` },
  namespaceUid: "uid-of-shop",
  right: 0,
  because:
    step === "asks"
      ? "Namespace shop has been replaced: a person must say whether the new one may have the volume. To allow it: " +
        "`kubectl annotate namespace shop holdfast.dev/successor-of=uid-of-shop`"
      : `Volume ${name} of claim shop/${name} is kept for 7d.`,
});

/** A satellite; with a reason, it is to be evacuated. */
export const satellite = (
  name: string,
  evacuated?: { readonly reason: string; readonly message: string },
  annotations: object = {},
) => ({
  apiVersion: "piraeus.io/v1",
  kind: "LinstorSatellite",
  metadata: { name, finalizers: ["piraeus.io/satellite-protection"], annotations },
  spec: {
    clusterRef: { name: "linstor" },
    deletionPolicy: "Evacuate",
    storagePools: [{ name: "thin", lvmThinPool: { volumeGroup: "vg", thinPool: "thin" } }],
  },
  status: {
    conditions: [
      { type: "Available", status: "True", reason: "Connected", message: "", lastTransitionTime: at(90) },
      { type: "Configured", status: "True", reason: "AsExpected", message: "", lastTransitionTime: at(90) },
      ...(evacuated ? [{ type: "SatelliteEvacuated", status: "False", lastTransitionTime: at(12), ...evacuated }] : []),
    ],
  },
});

export const linstorCluster = {
  apiVersion: "piraeus.io/v1",
  kind: "LinstorCluster",
  metadata: { name: "linstor" },
  spec: { maxConcurrentEvacuations: 1, nodeSelector: { storage: "yes" } },
};

/** A compute node that is to be cleared, and waits for a person. */
export const computeNode = (name: string, isAgreed: boolean) => ({
  apiVersion: "compute.yaook.cloud/v1",
  kind: "NovaComputeNode",
  metadata: {
    name,
    namespace: "yaook",
    annotations: isAgreed ? { "holdfast.dev/approve-eviction": "true" } : {},
  },
  spec: {
    state: "DisabledAndCleared",
    selector: { matchLabels: { app: "nova" }, schedulingLabel: { key: "nova", value: "yes" } },
  },
  status: {
    conditions: [
      {
        type: "Converged",
        status: "False",
        reason: isAgreed ? "InProgress" : "Dependency",
        message: isAgreed
          ? "Servers are being moved."
          : "The host has to leave, and a person has to agree: set the annotation holdfast.dev/approve-eviction=true.",
        lastTransitionTime: at(20),
      },
      ...(isAgreed
        ? [
            {
              type: "Evicted",
              status: "Evicting",
              reason: "Evicting",
              message: JSON.stringify({
                ...{ migrated: 3, migratable: 0, pending: 2, in_progress: 0, unhandleable: 2 },
                unhandleable_agent: false,
              }),
              lastTransitionTime: at(10),
            },
            {
              type: "ServersStuck",
              status: "True",
              reason: "NeedPerson",
              message:
                "5c1d: It is in ERROR. Repair it and run openstack server set --state active 5c1d, or delete it.\n" +
                "9f2e: It is in RESCUE. Its owner has to run openstack server unrescue 9f2e.",
              lastTransitionTime: at(10),
            },
            {
              type: "HostDown",
              status: "True",
              reason: "NotFenced",
              message: "Host node-2 counts as down only if all of this is met.",
              lastTransitionTime: at(10),
            },
          ]
        : []),
    ],
  },
});

/** An Event that a function has recorded. */
export const event = (name: string, regarding: object, reason: string, note: string, type = "Warning") => ({
  apiVersion: "events.k8s.io/v1",
  kind: "Event",
  metadata: { name, namespace: "default" },
  eventTime: at(2).replace("Z", ".000000Z"),
  reportingController: "holdfast.dev/volume-run-job",
  reportingInstance: "volume/run-job",
  action: "Look",
  reason,
  note,
  type,
  regarding,
});
