import { join } from "node:path";
import { readManifests } from "../../eventing/read-manifests.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";

/** The claim and the pod of the tour, which a reader can apply, too. */
export const exampleFile = join(import.meta.dirname, "example.yaml");

/** The set of the tour of PVC retention. */
export const setFile = join(import.meta.dirname, "stateful-set.yaml");

/** The claim `data` and the pod `writer` that uses it, to be created in a namespace. */
export function exampleObjects(namespace: string): { claim: KubernetesObject; pod: KubernetesObject } {
  const objects = readManifests([exampleFile]).map(({ object }) => named(object, { namespace }));
  const find = (kind: string) => objects.find((object) => object.kind === kind)!;
  return { claim: find("PersistentVolumeClaim"), pod: find("Pod") };
}

/** The set `web` of three replicas with a claim each, to be created in a namespace. */
export function exampleSet(namespace: string): KubernetesObject {
  const [set] = readManifests([setFile]);
  return named(set!.object, { namespace });
}

/** The same object by another name or in another namespace. */
export function named<T extends KubernetesObject>(object: T, metadata: { name?: string; namespace?: string }): T {
  return { ...object, metadata: { ...object.metadata, ...metadata } };
}
