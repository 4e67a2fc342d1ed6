import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Resource } from "../resource.ts";
import type { State } from "../state.ts";

const finalizers: Readonly<Record<string, string>> = {
  PersistentVolumeClaim: "kubernetes.io/pvc-protection",
  PersistentVolume: "kubernetes.io/pv-protection",
};

/** StorageObjectInUseProtection: new claims and volumes get the finalizer of the in-tree protection. In place. */
export function protectObjectInUse({ switches }: State, resource: Resource, { metadata }: KubernetesObject): void {
  const finalizer = resource.apiVersion === "v1" ? finalizers[resource.kind] : undefined;
  if (!switches.objectInUseProtection || !finalizer || metadata.finalizers?.includes(finalizer)) return;
  metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
}
