import { CustomResourceDefinition } from "../../local/controllers/objects/kinds.ts";
import { groupOf, type Kind, PersistentVolume, PersistentVolumeClaim, Pod } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject, ObjectMeta } from "../../shared/kubernetes/object.ts";
import { ConfigMap, StatefulSet } from "./kinds.ts";

type Metadata = Partial<ObjectMeta>;

/** An object to be created: what the server fills in is left out. */
export function manifest(kind: Kind, metadata: Metadata, rest: Record<string, unknown> = {}): KubernetesObject {
  return { apiVersion: kind.apiVersion, kind: kind.kind, metadata: metadata as ObjectMeta, ...rest };
}

/** The definition of a kind, in its own version, that admits anything; `more` is of that version. */
export function definition(of: Kind, more: object = {}): KubernetesObject {
  const { kind, plural, namespaced } = of;
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const name = of.apiVersion.slice(of.apiVersion.indexOf("/") + 1);
  const versions = [{ name, served: true, storage: true, schema, ...more }];
  const names = { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` };
  const spec = { group: groupOf(of), scope: namespaced ? "Namespaced" : "Cluster", names, versions };
  return manifest(CustomResourceDefinition, { name: `${plural}.${groupOf(of)}` }, { spec });
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

/** A volume of 1 GiB, whose data stays without its claim, unless `spec` says otherwise. */
export function persistentVolume(metadata: Metadata, spec: Record<string, unknown> = {}): KubernetesObject {
  const defaults = {
    accessModes: ["ReadWriteOnce"],
    capacity: { storage: "1Gi" },
    persistentVolumeReclaimPolicy: "Retain",
  };
  return manifest(PersistentVolume, metadata, { spec: { ...defaults, ...spec } });
}

/** The affinity of a volume that only these nodes reach. */
export const reachedFrom = (values: readonly unknown[], key = "kubernetes.io/hostname") => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In", values }] }] },
});

/** A pod that no scheduler looks at and that mounts these claims, unless `spec` says otherwise. */
export function pod(
  metadata: Metadata,
  claims: readonly string[] = [],
  spec: Record<string, unknown> = {},
): KubernetesObject {
  const names = claims.map((claim) => claim.replaceAll(".", "-"));
  const volumeMounts = names.map((name) => ({ name, mountPath: `/${name}` }));
  const defaults = {
    schedulerName: "by-hand",
    terminationGracePeriodSeconds: 1,
    containers: [{ name: "main", image: "registry.example/main:1", volumeMounts }],
    volumes: claims.map((claimName, index) => ({ name: names[index], persistentVolumeClaim: { claimName } })),
  };
  return manifest(Pod, metadata, { spec: { ...defaults, ...spec } });
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
