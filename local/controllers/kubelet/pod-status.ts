import type { Random } from "../../../eventing/random.ts";
import { type Condition, withConditions } from "../objects/condition.ts";
import type { Container, ContainerStatus, PodObject } from "../objects/pod.ts";

type PodStatus = NonNullable<PodObject["status"]>;

/** The addresses of a pod's node and of the pod. */
export interface Addresses {
  hostIP: string;
  podIP: string;
}

/** The status of a pod whose containers have just been started. */
export function runningStatus(pod: PodObject, addresses: Addresses, random: Random, now: string): PodStatus {
  const { hostIP, podIP } = addresses;
  return {
    ...observed(pod),
    phase: "Running",
    startTime: pod.status?.startTime ?? now,
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP,
    podIPs: [{ ip: podIP }],
    conditions: conditionsOf(pod, { sandbox: "True", ready: "True" }, now),
    containerStatuses: pod.spec.containers.map((container) => startedContainer(container, random, now)),
  };
}

/** The status of a pod that runs and is ready once more. */
export function readyStatus(pod: PodObject, now: string): PodStatus {
  return { ...observed(pod), conditions: conditionsOf(pod, { sandbox: "True", ready: "True" }, now) };
}

/** The status of a pod none of whose containers will run again. */
export function endedStatus(pod: PodObject, code: number, now: string): PodStatus {
  const [phase, reason] = code === 0 ? (["Succeeded", "PodCompleted"] as const) : (["Failed", "PodFailed"] as const);
  const { containerStatuses = [] } = pod.status ?? {};
  const end = (status: ContainerStatus) => (status.state.running ? ended(status, code, now) : status);
  return {
    ...observed(pod),
    phase,
    conditions: conditionsOf(pod, { sandbox: "False", ready: "False", reason }, now),
    containerStatuses: containerStatuses.map(end),
  };
}

function observed({ metadata: { generation } }: PodObject): { observedGeneration?: number } {
  return generation ? { observedGeneration: generation } : {};
}

interface Readiness {
  /** Whether the pod still has its sandbox: network and mounts. */
  sandbox: Condition["status"];
  ready: Condition["status"];
  reason?: string;
}

function conditionsOf(pod: PodObject, { sandbox, ready, reason }: Readiness, now: string): readonly Condition[] {
  const why = reason ? { reason } : {};
  const changes: Condition[] = [
    { type: "PodReadyToStartContainers", status: sandbox },
    { type: "Initialized", status: "True" },
    { type: "Ready", status: ready, ...why },
    { type: "ContainersReady", status: ready, ...why },
  ];
  const seen = observed(pod);
  return withConditions(
    pod.status?.conditions,
    changes.map((condition) => ({ ...condition, ...seen })),
    now,
  );
}

function startedContainer({ name, image }: Container, random: Random, now: string): ContainerStatus {
  return {
    name,
    image,
    imageID: image,
    containerID: `containerd://${random.uuid().replaceAll("-", "").repeat(2)}`,
    ready: true,
    started: true,
    restartCount: 0,
    state: { running: { startedAt: now } },
    lastState: {},
  };
}

function ended(status: ContainerStatus, code: number, now: string): ContainerStatus {
  const startedAt = status.state.running?.startedAt ?? now;
  const { containerID } = status;
  return {
    ...status,
    ready: false,
    started: false,
    state: {
      terminated: {
        exitCode: code,
        reason: code === 0 ? "Completed" : "Error",
        startedAt,
        finishedAt: now,
        ...(containerID ? { containerID } : {}),
      },
    },
  };
}
