import type { Kind } from "../../../../shared/kubernetes/kind.ts";

/** A kind of which the console shows objects. It passes on the reading of them, and what is named here. */
export interface ConsoleKind extends Kind {
  readonly create?: true;
  readonly delete?: true;
  /** What a patch may change, as paths. */
  readonly fields?: readonly (readonly string[])[];
}

type Passed = Omit<ConsoleKind, "apiVersion" | "kind" | "plural">;
const inNamespace: Passed = { namespaced: true };
const ofCluster: Passed = { namespaced: false };
const annotations = (...keys: readonly string[]) => ({ fields: keys.map((key) => ["metadata", "annotations", key]) });
/** An agent that others need, and what needs it: only the latter can be tried again. */
const base = { ...inNamespace, ...annotations("holdfast.dev/approve-eviction") };
const dependent = { ...inNamespace, ...annotations("holdfast.dev/approve-eviction", "holdfast.dev/retry-eviction") };

/** What passes, by `<apiVersion>/<kind>`: what pages show, and what they do with it, and no more. */
const passed: Readonly<Record<string, Passed>> = {
  "v1/ConfigMap": inNamespace,
  "v1/Namespace": { ...ofCluster, ...annotations("holdfast.dev/successor-of") },
  "v1/Node": ofCluster,
  "v1/PersistentVolumeClaim": inNamespace,
  "v1/PersistentVolume": { ...ofCluster, ...annotations("holdfast.dev/offer", "holdfast.dev/reclaim-at") },
  "v1/Pod": inNamespace,
  "apps/v1/DaemonSet": inNamespace,
  "apps/v1/Deployment": inNamespace,
  "apps/v1/StatefulSet": inNamespace,
  "events.k8s.io/v1/Event": inNamespace,
  "storage.k8s.io/v1/StorageClass": ofCluster,
  "storage.k8s.io/v1/VolumeAttachment": ofCluster,
  "serving.knative.dev/v1/Service": inNamespace,
  "sources.knative.dev/v1/ApiServerSource": inNamespace,
  "cluster.x-k8s.io/v1beta2/Machine": inNamespace,
  "storage.metalk8s.scality.com/v1alpha1/Volume": { ...ofCluster, create: true, delete: true },
  "piraeus.io/v1/LinstorCluster": ofCluster,
  "piraeus.io/v1/LinstorSatelliteConfiguration": ofCluster,
  "piraeus.io/v1/LinstorSatellite": { ...ofCluster, fields: [["spec", "deletionPolicy"]] },
  "compute.yaook.cloud/v1/NovaComputeNode": dependent,
  "network.yaook.cloud/v1/NeutronBGPDRAgent": dependent,
  "network.yaook.cloud/v1/NeutronDHCPAgent": dependent,
  "network.yaook.cloud/v1/NeutronL2Agent": base,
  "network.yaook.cloud/v1/NeutronL3Agent": dependent,
  "network.yaook.cloud/v1/NeutronOVNAgent": base,
  "network.yaook.cloud/v1/NeutronOVNBGPAgent": dependent,
};

/** The same by `<apiVersion>/<plural>`, as paths name kinds. A test holds it against the pages. */
export const consoleKinds: ReadonlyMap<string, ConsoleKind> = new Map(
  Object.entries(passed).map(([name, rights]) => {
    const [, apiVersion = "", kind = ""] = /^(.*)\/(\w+)$/.exec(name) ?? [];
    const plural = `${kind.toLowerCase()}${kind.endsWith("s") ? "es" : "s"}`;
    return [`${apiVersion}/${plural}`, { apiVersion, kind, plural, ...rights }];
  }),
);
