import { type Kind, PersistentVolumeClaim, Pod } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject, ObjectMeta } from "../../shared/kubernetes/object.ts";
import { ConfigMap, StatefulSet } from "./kinds.ts";

type Metadata = Partial<ObjectMeta>;

/** An object to be created: what the server fills in is left out. */
export function manifest(kind: Kind, metadata: Metadata, rest: Record<string, unknown> = {}): KubernetesObject {
  return { apiVersion: kind.apiVersion, kind: kind.kind, metadata: metadata as ObjectMeta, ...rest };
}

export function configMap(metadata: Metadata, data: Record<string, string> = {}): KubernetesObject {
  return manifest(ConfigMap, metadata, { data });
}

/** A claim of 1 GiB that nothing provisions, unless `spec` says otherwise. */
export function claim(metadata: Metadata, spec: Record<string, unknown> = {}): KubernetesObject {
  const defaults = {
    accessModes: ["ReadWriteOnce"],
    storageClassName: "none",
    resources: { requests: { storage: "1Gi" } },
  };
  return manifest(PersistentVolumeClaim, metadata, { spec: { ...defaults, ...spec } });
}

/** A pod that no scheduler looks at, unless `spec` says otherwise. */
export function pod(metadata: Metadata, spec: Record<string, unknown> = {}): KubernetesObject {
  const defaults = { schedulerName: "by-hand", containers: [{ name: "main", image: "registry.example/main:1" }] };
  return manifest(Pod, metadata, { spec: { ...defaults, ...spec } });
}

/** A volume of a pod that mounts a claim. */
export function volumeOf(claimName: string): Record<string, unknown> {
  return { name: claimName.replaceAll(".", "-"), persistentVolumeClaim: { claimName } };
}

export function statefulSet(metadata: Metadata, spec: Record<string, unknown> = {}): KubernetesObject {
  const labels = { app: metadata.name ?? "set" };
  const defaults = {
    replicas: 0,
    serviceName: metadata.name,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { schedulerName: "by-hand", containers: [{ name: "main", image: "registry.example/main:1" }] },
    },
  };
  return manifest(StatefulSet, metadata, { spec: { ...defaults, ...spec } });
}
