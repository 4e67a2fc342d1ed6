import { isAlreadyExists, isConflict } from "../../../shared/kubernetes/api-error.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { ControllerTools } from "../controller.ts";
import { type Condition, conditionOf } from "../objects/condition.ts";
import { Lease, Namespace, Node } from "../objects/kinds.ts";
import type { NodeObject } from "../objects/node.ts";
import { microTimestamp, timestamp } from "../timestamp.ts";

/** How often a node shows that it lives; the kubelet's defaults are 10 s and 5 minutes. */
export interface Heartbeat {
  leaseSeconds: number;
  statusSeconds: number;
}

const leaseNamespace = "kube-node-lease";
const leaseDurationSeconds = 40;

/** A node's registration and heartbeats, without its pods. */
export interface NodeAgent {
  /** Resolves when the Node exists and is Ready. */
  readonly registered: Promise<void>;
  /** Falls silent, as a node that has lost power or network does. */
  lose(): void;
  /** Speaks again. */
  restore(): void;
}

/** Registers a node and keeps it Ready; without a heartbeat it says so once and rests. */
export function startNodeAgent(tools: ControllerTools, name: string, hostIP: string, heartbeat?: Heartbeat): NodeAgent {
  const { client, clock, random, signal } = tools;
  let lost = false;

  const failed = (error: unknown) => tools.trouble({ controller: "kubelet", subject: `node ${name}`, error });

  async function register(): Promise<void> {
    const labels = { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64" };
    // The server sets what is missing.
    const metadata = { name, labels } as unknown as KubernetesObject["metadata"];
    try {
      await client.create(Node, { apiVersion: Node.apiVersion, kind: Node.kind, metadata });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      await client.patch(Node, undefined, name, "merge", { metadata: { labels } });
    }
    await report();
  }

  async function report(): Promise<void> {
    const node = await client.get<NodeObject>(Node, undefined, name);
    const was = conditionOf(node?.status?.conditions, "Ready")?.status;
    const now = timestamp(clock.now());
    const { uid } = node?.metadata ?? {};
    const status = nodeStatus(node, name, hostIP, now);
    // Strategic: conditions and addresses of others stay.
    await client.patch(Node, undefined, name, "strategic", { metadata: { uid }, status }, { subresource: "status" });
    if (!node || was === "True") return;
    const note = `Node ${name} status is now: NodeReady`;
    tools.record(node, { type: "Normal", reason: "NodeReady", note, by: "kubelet", instance: name });
  }

  async function renew(): Promise<void> {
    const renewTime = microTimestamp(clock.now());
    const renewed = await client.patch(Lease, leaseNamespace, name, "merge", { spec: { renewTime } });
    if (renewed) return;
    const node = await client.get(Node, undefined, name);
    // A node that was deleted comes back when its kubelet is started again.
    if (!node) return;
    const ownerReferences = [{ apiVersion: "v1", kind: "Node", name, uid: node.metadata.uid }];
    const lease = {
      apiVersion: Lease.apiVersion,
      kind: Lease.kind,
      metadata: { name, namespace: leaseNamespace, ownerReferences } as unknown as KubernetesObject["metadata"],
      spec: { holderIdentity: name, leaseDurationSeconds, renewTime },
    };
    await client.create(Lease, lease).catch((error) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }

  /** Does something every so often, a little unevenly, so that many nodes do not beat as one. */
  async function every(seconds: number, beat: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      if (!lost) await beat().catch(failed);
      await clock.sleep(seconds * 1000 * (1 + 0.04 * random.next()), signal).catch(() => {});
    }
  }

  async function start(): Promise<void> {
    for (let delay = 100; !signal.aborted; delay = Math.min(10_000, delay * 2)) {
      try {
        return await register();
      } catch (error) {
        failed(error);
        await clock.sleep(delay, signal).catch(() => {});
      }
    }
  }

  const registered = start().then(async () => {
    if (!heartbeat) return;
    await ensureLeaseNamespace(tools).catch(failed);
    void every(heartbeat.leaseSeconds, renew);
    void every(heartbeat.statusSeconds, report);
  });

  return {
    registered,
    lose() {
      lost = true;
    },
    restore() {
      lost = false;
      void report().catch((error) => {
        if (!isConflict(error)) failed(error);
      });
    },
  };
}

/** Real API servers have it from the start. */
async function ensureLeaseNamespace({ client }: ControllerTools): Promise<void> {
  if (await client.get(Namespace, undefined, leaseNamespace)) return;
  const metadata = { name: leaseNamespace } as KubernetesObject["metadata"];
  await client
    .create(Namespace, { apiVersion: Namespace.apiVersion, kind: Namespace.kind, metadata })
    .catch((error) => {
      if (!isAlreadyExists(error)) throw error;
    });
}

function nodeStatus(node: NodeObject | undefined, name: string, hostIP: string, now: string): object {
  const resources = { cpu: "8", memory: "16Gi", pods: "110", "ephemeral-storage": "100Gi" };
  const condition = (type: string, status: Condition["status"], reason: string, message: string): Condition => {
    const old = conditionOf(node?.status?.conditions, type);
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
