import {
  ControllerRevision,
  type Kind,
  PersistentVolumeClaim,
  Pod,
  StatefulSet,
  StorageClass,
} from "../../../../shared/kubernetes/kind.ts";
import type { KubernetesObject, OwnerReference } from "../../../../shared/kubernetes/object.ts";
import type { PodObject } from "../../objects/pod.ts";
import { openWorld, type World, type WorldOptions } from "../../testing/world.ts";
import type { RevisionObject, SetObject } from "../set.ts";

/** A finalizer or gate of the test's own, which holds what bears it. */
export const hold = "test.holdfast.dev/hold";

/** Container of every set's template. */
export const container = { name: "main", image: "registry.example/main:1" };

/** A world with what scenarios of sets look at. */
export interface SetWorld extends World {
  /** Creates a set with one claim per pod, selected by the label `app`. */
  createSet(name: string, spec?: object, metadata?: object): Promise<SetObject>;
  set(name: string): Promise<SetObject>;
  pod(name: string): Promise<PodObject | undefined>;
  claim(name: string): Promise<KubernetesObject | undefined>;
  /** Names of a set's pods that are not being deleted, sorted. */
  podsOf(set: string): Promise<string[]>;
  /** Kinds and names of a claim's owners, as `Pod web-0`. */
  ownersOf(claim: string): Promise<string[]>;
  /** A set's revisions, oldest first. */
  revisionsOf(set: string): Promise<RevisionObject[]>;
  scale(set: string, replicas: number): Promise<unknown>;
  /** Changes a set without changing what it wants. */
  touch(set: string): Promise<unknown>;
  /** Waits until a set has so many pods, all of them ready, and has said so. */
  ready(set: string, replicas: number): Promise<void>;
  /** Puts the finalizer on something, so that it stays when it is deleted. */
  keep(kind: Kind, name: string): Promise<unknown>;
  /** Takes it off. */
  letGo(kind: Kind, name: string): Promise<unknown>;
  /** Waits until something is being deleted. */
  dying(kind: Kind, name: string): Promise<void>;
}

/** Opens a world with a node and with storage that is made on demand. */
export async function openSetWorld(options: WorldOptions = {}): Promise<SetWorld> {
  const world = await openWorld({ nodes: ["one"], ...options });
  const storageClassName = `${world.namespace}-class`;
  await world.create(StorageClass, storageClassName, { provisioner: "kubernetes.io/host-path" });
  const list = <T extends KubernetesObject>(kind: Kind) =>
    Array.fromAsync(world.client.list<T>(kind, { namespace: world.namespace }));
  const of = (owner: string) => (object: KubernetesObject) => object.metadata.labels?.app === owner;
  let touches = 0;

  return {
    ...world,
    async createSet(name, spec = {}, metadata = {}) {
      const labels = { app: name };
      const whole = {
        replicas: 1,
        serviceName: name,
        selector: { matchLabels: labels },
        template: templateOf(labels),
        volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claimSpec(storageClassName) }],
        ...spec,
      };
      return (await world.create(StatefulSet, name, { metadata, spec: whole })) as SetObject;
    },
    async set(name) {
      const set = await world.get<SetObject>(StatefulSet, name);
      if (!set) throw new Error(`There is no set ${name}.`);
      return set;
    },
    pod: (name) => world.get<PodObject>(Pod, name),
    claim: (name) => world.get(PersistentVolumeClaim, name),
    async podsOf(set) {
      const pods = (await list(Pod)).filter(of(set)).filter(({ metadata }) => !metadata.deletionTimestamp);
      return pods.map(({ metadata }) => metadata.name).sort();
    },
    async ownersOf(name) {
      const { ownerReferences = [] } = (await world.get(PersistentVolumeClaim, name))?.metadata ?? {};
      return ownerReferences.map((owner) => `${owner.kind} ${owner.name}`);
    },
    async revisionsOf(set) {
      const revisions = (await list<RevisionObject>(ControllerRevision)).filter(of(set));
      return revisions.sort((left, right) => left.revision - right.revision);
    },
    scale: (set, replicas) => world.patch(StatefulSet, set, { spec: { replicas } }),
    touch: (set) =>
      world.patch(StatefulSet, set, { metadata: { annotations: { "test.holdfast.dev/touched": `${++touches}` } } }),
    ready: (set, replicas) =>
      world.until(`${set} has ${replicas} ready pods`, async () => {
        const { metadata, status } = (await world.get<SetObject>(StatefulSet, set)) as SetObject;
        const { replicas: count, readyReplicas = 0, observedGeneration } = status ?? {};
        return count === replicas && readyReplicas === replicas && observedGeneration === metadata.generation;
      }),
    keep: (kind, name) => world.patch(kind, name, { metadata: { finalizers: [hold] } }),
    async letGo(kind, name) {
      const { finalizers = [] } = (await world.get(kind, name))?.metadata ?? {};
      const left = finalizers.filter((finalizer) => finalizer !== hold);
      return world.patch(kind, name, { metadata: { finalizers: left } });
    },
    dying: (kind, name) =>
      world.until(`${kind.kind} ${name} is being deleted`, async () => {
        return (await world.get(kind, name))?.metadata.deletionTimestamp;
      }),
    async close() {
      await world.close();
      await world.delete(StorageClass, storageClassName);
    },
  };
}

/** A pod template that stops at once. */
export function templateOf(labels: object, spec: object = {}, annotations: object = {}): object {
  return {
    metadata: { labels, annotations },
    spec: { terminationGracePeriodSeconds: 1, containers: [container], ...spec },
  };
}

export function claimSpec(storageClassName: string): object {
  return { accessModes: ["ReadWriteOnce"], storageClassName, resources: { requests: { storage: "1Gi" } } };
}

/** A reference to an object, by which it only owns by default. */
export function referenceTo(owner: KubernetesObject, more: Partial<OwnerReference> = {}): OwnerReference {
  const { apiVersion, kind, metadata } = owner;
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, ...more };
}
