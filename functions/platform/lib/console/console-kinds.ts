/** What the console passes on about a kind: reading its objects, and what is named here. */
export interface ConsoleKind {
  readonly namespaced: boolean;
  readonly create?: true;
  readonly delete?: true;
  /** What a patch may change, as paths. */
  readonly fields?: readonly (readonly string[])[];
}

const inNamespace: ConsoleKind = { namespaced: true };
const ofCluster: ConsoleKind = { namespaced: false };
const annotations = (...keys: readonly string[]) => ({ fields: keys.map((key) => ["metadata", "annotations", key]) });
/** An agent that others need, and what needs it: only the latter can be tried again. */
const base = { ...inNamespace, ...annotations("holdfast.dev/approve-eviction") };
const dependent = { ...inNamespace, ...annotations("holdfast.dev/approve-eviction", "holdfast.dev/retry-eviction") };

/**
 * The kinds that the console passes requests on for, by `<apiVersion>/<plural>`: what pages show, and what they do with
 * it, and no more. A test derives both from the pages.
 */
export const consoleKinds: ReadonlyMap<string, ConsoleKind> = new Map(
  Object.entries({
    "v1/configmaps": inNamespace,
    "v1/namespaces": { ...ofCluster, ...annotations("holdfast.dev/successor-of") },
    "v1/nodes": ofCluster,
    "v1/persistentvolumeclaims": inNamespace,
    "v1/persistentvolumes": { ...ofCluster, ...annotations("holdfast.dev/offer", "holdfast.dev/reclaim-at") },
    "v1/pods": inNamespace,
    "apps/v1/daemonsets": inNamespace,
    "apps/v1/deployments": inNamespace,
    "apps/v1/statefulsets": inNamespace,
    "events.k8s.io/v1/events": inNamespace,
    "storage.k8s.io/v1/storageclasses": ofCluster,
    "storage.k8s.io/v1/volumeattachments": ofCluster,
    "serving.knative.dev/v1/services": inNamespace,
    "sources.knative.dev/v1/apiserversources": inNamespace,
    "cluster.x-k8s.io/v1beta2/machines": inNamespace,
    "storage.metalk8s.scality.com/v1alpha1/volumes": { ...ofCluster, create: true, delete: true },
    "piraeus.io/v1/linstorclusters": ofCluster,
    "piraeus.io/v1/linstorsatelliteconfigurations": ofCluster,
    "piraeus.io/v1/linstorsatellites": { ...ofCluster, fields: [["spec", "deletionPolicy"]] },
    "compute.yaook.cloud/v1/novacomputenodes": dependent,
    "network.yaook.cloud/v1/neutronbgpdragents": dependent,
    "network.yaook.cloud/v1/neutrondhcpagents": dependent,
    "network.yaook.cloud/v1/neutronl2agents": base,
    "network.yaook.cloud/v1/neutronl3agents": dependent,
    "network.yaook.cloud/v1/neutronovnagents": base,
    "network.yaook.cloud/v1/neutronovnbgpagents": dependent,
  }),
);
