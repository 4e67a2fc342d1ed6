import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Pod } from "../../../shared/kubernetes/kind.ts";
import { timestamp } from "../../../shared/kubernetes/timestamp.ts";
import type { ControllerTools } from "../controller.ts";
import { guardedPatch } from "../guarded-patch.ts";
import { conditionOf } from "../objects/condition.ts";
import { type Container, isFinished, type PodObject } from "../objects/pod.ts";
import { checkVolumes } from "./check-volumes.ts";
import { endOf, exitCodeOf, stopOf } from "./lifetime.ts";
import { type Addresses, endedStatus, readyStatus, runningStatus } from "./pod-status.ts";

/** Milliseconds after which a pod wants to be looked at again; nothing when only a change can matter. */
type Later = number | undefined;

/** Brings one pod of a node forward by at most one step: start, end, stop, or be gone. */
export async function syncPod(tools: ControllerTools, pod: PodObject, addresses: Addresses): Promise<Later> {
  if (isBeingDeleted(pod)) return stop(tools, pod);
  if (isFinished(pod)) return undefined;
  const [status] = pod.status?.containerStatuses ?? [];
  if (status?.state.running) return endWhenDue(tools, pod, Date.parse(status.state.running.startedAt));
  // Someone else says that it runs: leave it so.
  if (status || pod.status?.phase === "Running") return undefined;
  return start(tools, pod, addresses);
}

async function start(tools: ControllerTools, pod: PodObject, addresses: Addresses): Promise<Later> {
  const problem = await checkVolumes(tools.client, pod);
  if (problem) {
    // Looked at again when one of the claims changes.
    tools.record(pod, { ...by(pod), type: "Warning", reason: "FailedMount", note: problem });
    return undefined;
  }
  await writeStatus(tools, pod, runningStatus(pod, addresses, tools.random, nowOf(tools)));
  for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
    record(tools, pod, container, "Pulled", `Container image "${container.image}" already present on machine`);
    record(tools, pod, container, "Created", "Container created");
    record(tools, pod, container, "Started", "Container started");
  }
  return undefined;
}

async function endWhenDue(tools: ControllerTools, pod: PodObject, startedAt: number): Promise<Later> {
  if (conditionOf(pod.status?.conditions, "Ready")?.status !== "True") {
    // The node was thought lost, and its pods not ready.
    await writeStatus(tools, pod, readyStatus(pod, nowOf(tools)));
    return undefined;
  }
  const end = endOf(pod, startedAt);
  if (end === undefined) return undefined;
  if (tools.clock.now() < end) return end - tools.clock.now();
  await writeStatus(tools, pod, endedStatus(pod, exitCodeOf(pod), nowOf(tools)));
  return undefined;
}

/** A pod being deleted: stopped in its time, shown as finished, and only then deleted for good. */
async function stop(tools: ControllerTools, pod: PodObject): Promise<Later> {
  const { asked, at, killed } = stopOf(pod);
  if (!isFinished(pod)) {
    const wait = at - tools.clock.now();
    if (wait > 0 || at === asked) recordStopping(tools, pod);
    if (wait > 0) return wait;
    // What never ran has not succeeded.
    const code = killed || !pod.status?.containerStatuses ? 137 : 0;
    await writeStatus(tools, pod, endedStatus(pod, code, nowOf(tools)));
    return undefined;
  }
  // With a grace period of 0 asked for already, only finalizers keep it.
  if (pod.metadata.deletionGracePeriodSeconds === 0) return undefined;
  const { namespace, name, uid } = pod.metadata;
  await tools.client.delete(Pod, namespace, name, { uid, gracePeriodSeconds: 0 });
  return undefined;
}

function recordStopping(tools: ControllerTools, pod: PodObject): void {
  const running = new Set(
    pod.status?.containerStatuses?.filter(({ state }) => state.running).map(({ name }) => name) ?? [],
  );
  for (const container of pod.spec.containers) {
    if (running.has(container.name)) record(tools, pod, container, "Killing", `Stopping container ${container.name}`);
  }
}

async function writeStatus(tools: ControllerTools, pod: PodObject, status: object): Promise<void> {
  await guardedPatch(tools.client, Pod, pod, { status }, "status");
}

function nowOf({ clock }: ControllerTools): string {
  return timestamp(clock.now());
}

function by(pod: PodObject) {
  return { by: "kubelet", instance: pod.spec.nodeName ?? "" };
}

function record(tools: ControllerTools, pod: PodObject, { name }: Container, reason: string, note: string): void {
  tools.record(pod, { ...by(pod), type: "Normal", reason, note, fieldPath: `spec.containers{${name}}` });
}
