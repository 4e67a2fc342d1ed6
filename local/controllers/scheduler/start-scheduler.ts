import { keyOf, reflect } from "../../../eventing/watch/reflect.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "../../../shared/kubernetes/kind.ts";
import { claimsOf } from "../../../shared/storage/pod-claims.ts";
import { type ControllerTools, type Running, splitKey } from "../controller.ts";
import { startObjectQueue } from "../object-queue.ts";
import { isReady, type NodeObject } from "../objects/node.ts";
import type { PodObject } from "../objects/pod.ts";
import type { SchedulerCaches } from "./check-claims.ts";
import { type Awaited, chooseNode } from "./choose-node.ts";
import { bindPod, requestVolumes, showUnschedulable } from "./place-pod.ts";

const controller = "kube-scheduler";

export interface SchedulerOptions {
  /**
   * Milliseconds by which the scheduler sees claims late, to bind a pod to a claim that is being deleted already: the
   * race that the cache of the real one makes possible.
   */
  claimLag?: number;
}

/**
 * The scheduler in miniature. It obeys gates, cordons, taints, node selectors and node affinity, the number of pods a
 * node takes, and claims: missing, unbound, lost or being deleted ones, those that wait for their first consumer, and
 * where volumes can be reached from. It knows nothing of CPU and memory; constraints that it would break (required pod
 * affinity, spreading, resource claims) leave a pod unschedulable with a message that says so.
 */
export function startScheduler(tools: ControllerTools, { claimLag = 0 }: SchedulerOptions = {}): Running {
  const { reflections, trouble } = tools;
  const caches: SchedulerCaches = {
    pods: reflections.of(Pod),
    nodes: reflections.of(Node),
    claims: claimLag
      ? reflect(tools, PersistentVolumeClaim, {
          lag: claimLag,
          failed: (error) => trouble({ controller, subject: "claims", error }),
        })
      : reflections.of(PersistentVolumeClaim),
    volumes: reflections.of(PersistentVolume),
    classes: reflections.of(StorageClass),
  };
  /** Pods that could not be scheduled, and what may change that. */
  const waiting = new Map<string, Awaited>();
  /** Nodes of pods that were bound just now, until the cache shows it; by uid. */
  const assumed = new Map<string, string>();

  const queue = startObjectQueue(tools, {
    controller,
    objects: caches.pods,
    reads: Object.values(caches),
    concerns: (pod) => isOurs(pod) && !waiting.has(keyOf(pod)),
    async work(pod, key) {
      waiting.delete(key);
      if (!isOurs(pod) || assumed.has(pod.metadata.uid)) return;
      const choice = chooseNode(pod, caches, countPods());
      if ("message" in choice) {
        waiting.set(key, choice.awaits);
        return showUnschedulable(tools, pod, choice.message);
      }
      const { node, claims } = choice;
      if (claims.unbound.length) {
        waiting.set(key, "claims");
        return requestVolumes(tools, claims.unbound, node, caches);
      }
      assumed.set(pod.metadata.uid, node.metadata.name);
      await bindPod(tools, pod, node.metadata.name).catch((error) => {
        assumed.delete(pod.metadata.uid);
        throw error;
      });
    },
  });

  function countPods(): Map<string, number> {
    const counts = new Map<string, number>();
    const count = (node: string) => counts.set(node, (counts.get(node) ?? 0) + 1);
    for (const { spec } of caches.pods.list()) if (spec.nodeName) count(spec.nodeName);
    for (const node of assumed.values()) count(node);
    return counts;
  }

  function retry(...awaits: Awaited[]): void {
    for (const [key, other] of waiting) if (awaits.includes(other)) queue.add(key);
  }

  caches.pods.on((change, pod) => {
    if (change === "delete" || pod.spec.nodeName) assumed.delete(pod.metadata.uid);
    if (change !== "delete") return;
    waiting.delete(keyOf(pod));
    if (pod.spec.nodeName) retry("room");
  });
  caches.nodes.on((_, node, old) => {
    // Heartbeats change nothing that matters here.
    if (!old || fitness(node) !== fitness(old)) retry("nodes", "room");
  });
  caches.claims.on((_, { metadata: { namespace, name } }) => {
    for (const key of waiting.keys()) {
      const pod = key.startsWith(`${namespace}/`) && caches.pods.get(namespace, splitKey(key).name);
      if (pod && claimsOf(pod).some(({ claim }) => claim === name)) queue.add(key);
    }
  });
  for (const cache of [caches.volumes, caches.classes]) cache.on(() => retry("nodes", "room"));
  caches.classes.on(() => retry("claims"));
  return queue;
}

function isOurs(pod: PodObject): boolean {
  const { nodeName, schedulerName = "default-scheduler", schedulingGates = [] } = pod.spec;
  return !nodeName && !isBeingDeleted(pod) && schedulerName === "default-scheduler" && !schedulingGates.length;
}

function fitness(node: NodeObject): string {
  return JSON.stringify([node.metadata.labels, node.spec, node.status?.allocatable, isReady(node)]);
}
