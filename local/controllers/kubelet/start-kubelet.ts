import { PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import { claimsOf } from "../../../shared/storage/pod-claims.ts";
import { keyOf } from "../../watch/reflect.ts";
import { type ControllerTools, type Running, splitKey } from "../controller.ts";
import type { PodObject } from "../objects/pod.ts";
import type { ClaimObject } from "../objects/storage.ts";
import { startWorkQueue } from "../work-queue.ts";
import { type Heartbeat, startNodeAgent } from "./node-agent.ts";
import { syncPod } from "./sync-pod.ts";

export interface KubeletOptions {
  /** The nodes it stands for; each is registered. */
  nodes: readonly string[];
  /** Leases and node status at the kubelet's intervals; without it nodes are Ready for ever and a world at rest stays at rest. */
  heartbeat?: Heartbeat;
  /** Milliseconds between a pod's arrival on the node and its start; 0 by default. */
  startAfter?: number;
}

/** The heartbeat of a kubelet with its default settings. */
export const usualHeartbeat: Heartbeat = { leaseSeconds: 10, statusSeconds: 300 };

export interface Kubelet extends Running {
  /** Makes a node fall silent: no heartbeats, and its pods neither start nor stop. */
  lose(node: string): void;
  /** Brings a lost node back; it then does what it missed. */
  restore(node: string): void;
}

/**
 * The kubelets of a few nodes in miniature: nothing runs, but pods and nodes look as if it did. Serves a real control
 * plane as well.
 */
export function startKubelet(tools: ControllerTools, options: KubeletOptions): Kubelet {
  const { clock, signal, reflections } = tools;
  const { heartbeat, startAfter = 0 } = options;
  const pods = reflections.of<PodObject>(Pod);
  const claims = reflections.of<ClaimObject>(PersistentVolumeClaim);
  const lost = new Set<string>();
  const nodes = new Map(
    options.nodes.map((name, index) => {
      const hostIP = `10.0.0.${index + 10}`;
      return [name, { index, hostIP, agent: startNodeAgent(tools, name, hostIP, heartbeat) }] as const;
    }),
  );
  const registered = Promise.all([...nodes.values()].map(({ agent }) => agent.registered));
  const synced = Promise.all([pods.synced, claims.synced, registered]);
  /** Since when a pod is on its node, by uid. */
  const arrivals = new Map<string, number>();
  let addresses = 0;

  const queue = startWorkQueue({
    clock,
    signal,
    ready: synced,
    workers: 4,
    async work(key) {
      const { namespace, name } = splitKey(key);
      const pod = pods.get(namespace, name);
      const node = nodes.get(pod?.spec.nodeName ?? "");
      if (!pod || !node || lost.has(pod.spec.nodeName ?? "")) return;
      const arrived = arrivals.get(pod.metadata.uid) ?? clock.now();
      arrivals.set(pod.metadata.uid, arrived);
      const wait = pod.metadata.deletionTimestamp ? 0 : arrived + startAfter - clock.now();
      if (wait > 0) return queue.addAfter(key, wait);
      const podIP = pod.status?.podIP ?? `10.244.${node.index}.${(addresses++ % 250) + 2}`;
      const later = await syncPod(tools, pod, { hostIP: node.hostIP, podIP });
      if (later !== undefined) queue.addAfter(key, later);
    },
    failed: (subject, error) => tools.trouble({ controller: "kubelet", subject, error }),
  });

  pods.on((change, pod) => {
    if (change === "delete") arrivals.delete(pod.metadata.uid);
    else if (nodes.has(pod.spec.nodeName ?? "")) queue.add(keyOf(pod));
  });
  // A pod that could not mount a claim waits for the claim to change.
  claims.on((_, { metadata: { namespace, name } }) => {
    for (const pod of pods.list(namespace)) {
      const waits = nodes.has(pod.spec.nodeName ?? "") && !pod.status?.containerStatuses;
      if (waits && claimsOf(pod).some(({ claim }) => claim === name)) queue.add(keyOf(pod));
    }
  });

  return {
    synced,
    lose(name) {
      lost.add(name);
      nodes.get(name)?.agent.lose();
    },
    restore(name) {
      lost.delete(name);
      nodes.get(name)?.agent.restore();
      for (const pod of pods.list()) if (pod.spec.nodeName === name) queue.add(keyOf(pod));
    },
  };
}
