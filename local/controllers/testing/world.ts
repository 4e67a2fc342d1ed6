import { seededRandom } from "../../../eventing/random.ts";
import { type Clock, systemClock } from "../../../shared/clock.ts";
import { isAlreadyExists } from "../../../shared/kubernetes/api-error.ts";
import { type Client, createClient } from "../../../shared/kubernetes/client.ts";
import { Event, type Kind, Namespace, Node, PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import { kubeconfigTransport } from "../../../shared/kubernetes/kubeconfig-transport.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Transport } from "../../../shared/kubernetes/transport.ts";
import { poll } from "../../../test/harness/poll.ts";
import { rest } from "../../../test/harness/rest.ts";
import { createApiServer } from "../../apiserver/server.ts";
import { virtualClock } from "../../time/testing/virtual-clock.ts";
import type { Trouble } from "../controller.ts";
import { type Kubelet, usualHeartbeat } from "../kubelet/start-kubelet.ts";
import { type ControllersOptions, startControllers } from "../start-controllers.ts";

/**
 * A cluster in which a test of controllers runs: the emulator with the controllers of this folder on virtual time; or,
 * where `HOLDFAST_CLUSTER` names a kubeconfig, a real API server, with the controllers of this folder
 * (`HOLDFAST_CONTROLLERS=ours`, those of kube-controller-manager switched off) or with Kubernetes' own (`theirs`).
 */
export interface World {
  transport: Transport;
  client: Client;
  /** A namespace of this world's own; also a prefix for names of cluster-scoped objects. */
  namespace: string;
  clock: Clock;
  kubelet: Kubelet | undefined;
  /** What the controllers could not do at once. */
  troubles: Trouble[];
  /** Waits for a check to come true; rejects with `what` otherwise. */
  until(what: string, check: () => Promise<unknown> | unknown): Promise<void>;
  /** Gives everything the time to do what it should not. */
  rest(): Promise<void>;
  /** Creates an object, in the world's namespace when its kind has namespaces; one that exists is left as it is. */
  create(
    kind: Kind,
    name: string,
    written?: { metadata?: object; [field: string]: unknown },
  ): Promise<KubernetesObject>;
  get<T extends KubernetesObject>(kind: Kind, name: string): Promise<T | undefined>;
  patch(kind: Kind, name: string, patch: unknown, subresource?: string): Promise<unknown>;
  delete(kind: Kind, name: string, options?: Parameters<Client["delete"]>[3]): Promise<boolean>;
  /** The Events on an object of the world's namespace, as `reason: note`. */
  events(name: string): Promise<string[]>;
  /** Waits until there is no object of that name. */
  gone(kind: Kind, name: string): Promise<void>;
  close(): Promise<void>;
}

export interface WorldOptions extends Partial<ControllersOptions> {
  /** Nodes for the kubelet; the world's namespace is put before their names. */
  nodes?: readonly string[];
  /** Whether the nodes show that they live. */
  heartbeat?: boolean;
}

/** By which the nodes of a world differ from those of others on the same cluster. */
const worldLabel = "test.holdfast.dev/world";

export async function openWorld({ nodes, heartbeat, ...options }: WorldOptions): Promise<World> {
  const { transport, clock, random, until, rest } = process.env.HOLDFAST_CLUSTER
    ? realCluster(process.env.HOLDFAST_CLUSTER)
    : emulatedCluster();
  const client = createClient(transport, { clock });
  const stop = new AbortController();
  const troubles: Trouble[] = [];
  const namespace = `t-${random.below(1e9)}`;
  const names = nodes?.map((name) => `${namespace}-${name}`);
  const running = startControllers({
    transport,
    clock,
    random,
    signal: stop.signal,
    trouble: (trouble) => troubles.push(trouble),
    ...(names ? { kubelet: { nodes: names, ...(heartbeat ? { heartbeat: usualHeartbeat } : {}) } } : {}),
    ...options,
    // There is no kubelet among the real ones.
    ...(process.env.HOLDFAST_CONTROLLERS === "theirs" ? { controllers: ["kubelet"] } : {}),
  });
  await running.synced;
  const scope = (kind: Kind) => (kind.namespaced ? namespace : undefined);
  const world: World = {
    transport,
    client,
    clock,
    kubelet: running.kubelet,
    namespace,
    troubles,
    until,
    rest,
    async create(kind, name, written = {}) {
      const metadata = { ...written.metadata, name, ...(kind.namespaced ? { namespace } : {}) };
      const object = { ...written, apiVersion: kind.apiVersion, kind: kind.kind, metadata } as KubernetesObject;
      try {
        return await client.create(kind, object);
      } catch (error) {
        const present = isAlreadyExists(error) && (await world.get(kind, name));
        if (!present) throw error;
        return present;
      }
    },
    get: (kind, name) => client.get(kind, scope(kind), name),
    patch: (kind, name, patch, subresource) =>
      client.patch(kind, scope(kind), name, "merge", patch, subresource ? { subresource } : {}),
    delete: (kind, name, options) => client.delete(kind, scope(kind), name, options),
    async events(name) {
      const lines: string[] = [];
      for await (const event of client.list<EventObject>(Event, { namespace })) {
        if (event.regarding.name === name) lines.push(`${event.reason}: ${event.note}`);
      }
      return lines;
    },
    gone: (kind, name) => world.until(`${kind.kind} ${name} is gone`, async () => !(await world.get(kind, name))),
    async close() {
      stop.abort();
      await running.stopped;
      for (const name of names ?? []) await world.delete(Node, name);
      await client.delete(Namespace, undefined, namespace);
    },
  };
  // Where the API server has PodNodeSelector, the namespace's pods come to the world's own nodes: others' go when their
  // world closes.
  for (const name of names ?? []) await world.patch(Node, name, { metadata: { labels: { [worldLabel]: namespace } } });
  const annotations = { "scheduler.alpha.kubernetes.io/node-selector": `${worldLabel}=${namespace}` };
  await world.create(Namespace, namespace, { metadata: { annotations } });
  return world;
}

interface EventObject extends KubernetesObject {
  reason: string;
  note: string;
  regarding: { name: string };
}

type Cluster = Pick<ControllersOptions, "transport" | "clock" | "random"> & Pick<World, "until" | "rest">;

function emulatedCluster(): Cluster {
  const clock = virtualClock();
  const random = seededRandom(1);
  return {
    transport: createApiServer({ clock, random }).handle,
    clock,
    random,
    async until(what, check) {
      if (!(await clock.runUntil(async () => Boolean(await check()), 600_000)))
        throw new Error(`Did not come true: ${what}`);
    },
    rest: () => clock.advance(60_000),
  };
}

function realCluster(kubeconfig: string): Cluster {
  const transport = kubeconfigTransport(kubeconfig);
  const client = createClient(transport);
  return {
    transport,
    clock: systemClock,
    // Another one for each world: the namespace of the one before may still be on its way out.
    random: seededRandom(Math.floor((performance.timeOrigin + performance.now()) * 1000)),
    async until(what, check) {
      await poll(what, async () => Boolean(await check()), { within: 180_000, every: 50 });
    },
    rest: () => rest(client, 2000),
  };
}

/** A claim of 1 GiB. */
export function createClaim(
  world: World,
  name: string,
  spec: object = {},
  metadata: object = {},
): Promise<KubernetesObject> {
  const whole = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec };
  return world.create(PersistentVolumeClaim, name, { metadata, spec: whole });
}

/** A pod of one container that mounts the given claims. */
export function createPod(
  world: World,
  name: string,
  claims: readonly string[] = [],
  spec: object = {},
  metadata: object = {},
): Promise<KubernetesObject> {
  return world.create(Pod, name, {
    metadata,
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: "main",
          image: "registry.example/main:1",
          volumeMounts: claims.map((claim) => ({ name: claim, mountPath: `/${claim}` })),
        },
      ],
      volumes: claims.map((claim) => ({ name: claim, persistentVolumeClaim: { claimName: claim } })),
      ...spec,
    },
  });
}

/** Deletes a pod without the help of a kubelet. */
export function forceDelete(world: World, name: string): Promise<boolean> {
  return world.delete(Pod, name, { gracePeriodSeconds: 0 });
}
