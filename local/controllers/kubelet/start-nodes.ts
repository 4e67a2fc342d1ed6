import { isAlreadyExists } from "../../../shared/kubernetes/api-error.ts";
import { Namespace, Node } from "../../../shared/kubernetes/kind.ts";
import { Lease } from "../../../shared/kubernetes/lease.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { microTimestamp, timestamp } from "../../../shared/kubernetes/timestamp.ts";
import { type ControllerTools, splitKey } from "../controller.ts";
import { type Condition, conditionOf } from "../objects/condition.ts";
import { isReady, type NodeObject } from "../objects/node.ts";
import { startWorkQueue } from "../work-queue.ts";

/** How often nodes show that they live. */
export interface Heartbeat {
  leaseSeconds: number;
  statusSeconds: number;
}

const leaseNamespace = "kube-node-lease";
const leaseDurationSeconds = 40;

/** Registers nodes and keeps them Ready; without a heartbeat it does so only when a test says otherwise. */
export function startNodes(
  tools: ControllerTools,
  addresses: ReadonlyMap<string, string>,
  heartbeat: Heartbeat | undefined,
) {
  const { client, clock, random, reflections } = tools;
  const lost = new Set<string>();
  const pending = new Map([...addresses.keys()].map((name) => [name, Promise.withResolvers<void>()] as const));
  const registered = Promise.all([...pending.values()].map(({ promise }) => promise));
  const seen = reflections.of<NodeObject>(Node);

  // One worker: a lease that was asked for first is renewed first.
  const queue = startWorkQueue(tools, {
    controller: "kubelet",
    ready: Promise.resolve(),
    async work(key) {
      const { namespace: task, name } = splitKey(key);
      if (lost.has(name)) return;
      if (task === "lease") await renew(name);
      else await report(name);
      if (!heartbeat) return;
      const seconds = task === "lease" ? heartbeat.leaseSeconds : heartbeat.statusSeconds;
      // A little unevenly, so that many nodes do not beat as one.
      queue.addAfter(key, seconds * 1000 * (1 + 0.04 * random.next()));
    },
  });

  async function report(name: string): Promise<void> {
    const registration = pending.get(name);
    if (registration) await register(name);
    const node = await client.get<NodeObject>(Node, undefined, name);
    // A node that was deleted comes back when its kubelet is started again.
    if (!node) return;
    const status = nodeStatus(node, addresses.get(name) ?? "", timestamp(clock.now()));
    const { uid } = node.metadata;
    // Strategic: conditions and addresses of others stay.
    await client.patch(Node, undefined, name, "strategic", { metadata: { uid }, status }, { subresource: "status" });
    if (!isReady(node)) {
      const note = `Node ${name} status is now: NodeReady`;
      tools.record(node, { type: "Normal", reason: "NodeReady", note, by: "kubelet", instance: name });
    }
    pending.delete(name);
    registration?.resolve();
    if (registration && heartbeat) queue.add(`lease/${name}`);
  }

  async function register(name: string): Promise<void> {
    const labels = { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64" };
    try {
      await client.create(Node, newObject(Node, { name, labels }));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      await client.patch(Node, undefined, name, "merge", { metadata: { labels } });
    }
  }

  async function renew(name: string): Promise<void> {
    const renewTime = microTimestamp(clock.now());
    const renewed = await client.patch(Lease, leaseNamespace, name, "merge", { spec: { renewTime } });
    const node = renewed ? undefined : await client.get(Node, undefined, name);
    if (!node) return;
    await create(Namespace, newObject(Namespace, { name: leaseNamespace }));
    const ownerReferences = [{ apiVersion: "v1", kind: "Node", name, uid: node.metadata.uid }];
    const lease = newObject(Lease, { name, namespace: leaseNamespace, ownerReferences });
    await create(Lease, { ...lease, spec: { holderIdentity: name, leaseDurationSeconds, renewTime } });
  }

  async function create(kind: Parameters<typeof client.create>[0], object: KubernetesObject): Promise<void> {
    await client.create(kind, object).catch((error) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }

  for (const name of addresses.keys()) queue.add(`status/${name}`);
  seen.on((change, node) => {
    const { name } = node.metadata;
    const doubted = change !== "delete" && addresses.has(name) && !pending.has(name) && !isReady(node);
    if (doubted) queue.add(`status/${name}`);
  });
  return {
    /** Resolves when every node exists and is Ready. */
    registered: Promise.all([registered, seen.synced]),
    /** Lets a node fall silent, as one that has lost power or network does. */
    lose: (name: string) => lost.add(name),
    isLost: (name: string) => lost.has(name),
  };
}

/** The server sets what is missing. */
function newObject({ apiVersion, kind }: { apiVersion: string; kind: string }, metadata: object): KubernetesObject {
  return { apiVersion, kind, metadata: metadata as KubernetesObject["metadata"] };
}

/** The status of a node in good health, as the kubelet reports it. */
function nodeStatus(node: NodeObject, hostIP: string, now: string): object {
  const { name } = node.metadata;
  const resources = { cpu: "8", memory: "16Gi", pods: "110", "ephemeral-storage": "100Gi" };
  const condition = (type: string, status: Condition["status"], reason: string, message: string): Condition => {
    const old = conditionOf(node.status?.conditions, type);
    const lastTransitionTime = old?.status === status ? (old.lastTransitionTime ?? now) : now;
    return { type, status, reason, message, lastHeartbeatTime: now, lastTransitionTime };
  };
  return {
    capacity: resources,
    allocatable: resources,
    addresses: [
      { type: "InternalIP", address: hostIP },
      { type: "Hostname", address: name },
    ],
    conditions: [
      condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
      condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
      condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
      condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
    ],
    nodeInfo: {
      machineID: name,
      systemUUID: name,
      bootID: name,
      kernelVersion: "laptop",
      osImage: "Holdfast laptop edition",
      containerRuntimeVersion: "none://0",
      kubeletVersion: "v1.36.3",
      kubeProxyVersion: "",
      operatingSystem: "linux",
      architecture: "amd64",
    },
  };
}
