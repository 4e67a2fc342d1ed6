import { keyOf } from "../../../eventing/watch/reflect.ts";
import { PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import { claimsOf } from "../../../shared/storage/pod-claims.ts";
import type { ControllerTools, Running } from "../controller.ts";
import { startObjectQueue } from "../object-queue.ts";
import type { PodObject } from "../objects/pod.ts";
import type { ClaimObject } from "../objects/storage.ts";
import type { WorkQueue } from "../work-queue.ts";
import { type Heartbeat, startNodes } from "./start-nodes.ts";
import { syncPod } from "./sync-pod.ts";

export interface KubeletOptions {
  /** The nodes it stands for; each is registered. */
  nodes: readonly string[];
  /**
   * Leases and node status at the kubelet's intervals; without it nodes are Ready for ever and a world at rest stays at
   * rest.
   */
  heartbeat?: Heartbeat;
}

/** The heartbeat of a kubelet with its default settings. */
export const usualHeartbeat: Heartbeat = { leaseSeconds: 10, statusSeconds: 300 };

export interface Kubelet extends Running {
  /** Makes a node fall silent: no heartbeats, and its pods neither start nor stop. */
  lose(node: string): void;
}

/**
 * The kubelets of a few nodes in miniature: nothing runs, but pods and nodes look as if it did. Serves a real control
 * plane as well.
 */
export function startKubelet(tools: ControllerTools, options: KubeletOptions): Kubelet {
  const { reflections } = tools;
  const pods = reflections.of<PodObject>(Pod);
  const claims = reflections.of<ClaimObject>(PersistentVolumeClaim);
  const hostIPs = new Map(options.nodes.map((name, index) => [name, `10.0.0.${index + 10}`]));
  const nodes = startNodes(tools, hostIPs, options.heartbeat);
  let addresses = 0;

  const queue: WorkQueue & Running = startObjectQueue(tools, {
    controller: "kubelet",
    objects: pods,
    reads: [claims, { synced: nodes.registered }],
    concerns: (pod) => hostIPs.has(pod.spec.nodeName ?? ""),
    workers: 4,
    async work(pod, key) {
      const { nodeName = "" } = pod.spec;
      const hostIP = hostIPs.get(nodeName);
      if (!hostIP || nodes.isLost(nodeName)) return;
      const podIP = pod.status?.podIP ?? `10.244.${options.nodes.indexOf(nodeName)}.${(addresses++ % 250) + 2}`;
      const later = await syncPod(tools, pod, { hostIP, podIP });
      if (later !== undefined) queue.addAfter(key, later);
    },
  });

  // A pod that could not mount a claim waits for the claim to change.
  claims.on((_, { metadata: { namespace, name } }) => {
    for (const pod of pods.list(namespace)) {
      const waits = hostIPs.has(pod.spec.nodeName ?? "") && !pod.status?.containerStatuses;
      if (waits && claimsOf(pod).some(({ claim }) => claim === name)) queue.add(keyOf(pod));
    }
  });

  return { synced: queue.synced, lose: nodes.lose };
}
