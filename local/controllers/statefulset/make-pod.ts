import { PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject, OwnerReference } from "../../../shared/kubernetes/object.ts";
import type { PodObject, Volume } from "../objects/pod.ts";
import { claimNameOf, podIndexLabel, podNameLabel, podNameOf } from "./identity.ts";
import type { PodTemplate, SetObject } from "./set.ts";

/** The label that names the revision a pod was made from. */
export const revisionLabel = "controller-revision-hash";

/** A reference by which `owner` controls the object that bears it. */
export function controllerReference({ apiVersion, kind, metadata }: KubernetesObject): OwnerReference {
  return {
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** The pod of an ordinal, ready to be created from one revision of the set's template. */
export function newPod(set: SetObject, template: PodTemplate, revision: string, ordinal: number): PodObject {
  const name = podNameOf(set, ordinal);
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const spec = {
    ...template.spec,
    hostname: name,
    ...(set.spec.serviceName ? { subdomain: set.spec.serviceName } : {}),
    volumes: volumesOf(set, template.spec.volumes, ordinal),
  };
  return {
    apiVersion: Pod.apiVersion,
    kind: Pod.kind,
    // The server sets what is missing.
    metadata: {
      name,
      namespace: set.metadata.namespace,
      generateName: `${set.metadata.name}-`,
      labels: { ...labels, [podNameLabel]: name, [podIndexLabel]: `${ordinal}`, [revisionLabel]: revision },
      ...(annotations ? { annotations } : {}),
      ...(finalizers ? { finalizers } : {}),
      ownerReferences: [controllerReference(set)],
    } as unknown as PodObject["metadata"],
    spec,
  };
}

/** A pod's volumes with those of the set's claims in the place of any that have their names. */
function volumesOf(set: SetObject, others: readonly Volume[] = [], ordinal: number): Volume[] {
  const templates = set.spec.volumeClaimTemplates ?? [];
  const claimed = templates.map(({ metadata: { name } }) => ({
    name,
    persistentVolumeClaim: { claimName: claimNameOf(set, name, ordinal) },
  }));
  const names = new Set(claimed.map(({ name }) => name));
  return [...claimed, ...others.filter(({ name }) => !names.has(name))];
}

/** The claims that the set's templates make for an ordinal, ready to be created. */
export function claimsOf(set: SetObject, ordinal: number): KubernetesObject[] {
  return (set.spec.volumeClaimTemplates ?? []).map(({ metadata, spec }) => ({
    apiVersion: PersistentVolumeClaim.apiVersion,
    kind: PersistentVolumeClaim.kind,
    metadata: {
      ...metadata,
      name: claimNameOf(set, metadata.name, ordinal),
      namespace: set.metadata.namespace,
      labels: { ...metadata.labels, ...set.spec.selector.matchLabels },
    } as KubernetesObject["metadata"],
    spec,
  }));
}
