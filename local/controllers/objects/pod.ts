import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import type { NodeSelector } from "../../../shared/kubernetes/node-selector.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Toleration } from "../../../shared/kubernetes/toleration.ts";
import type { Condition } from "./condition.ts";

/** A Pod as far as the controllers read it. */
export interface PodObject extends KubernetesObject {
  spec: {
    nodeName?: string;
    schedulerName?: string;
    schedulingGates?: { name: string }[];
    nodeSelector?: { [label: string]: string };
    affinity?: {
      nodeAffinity?: { requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector };
      [field: string]: unknown;
    };
    tolerations?: Toleration[];
    restartPolicy?: "Always" | "OnFailure" | "Never";
    terminationGracePeriodSeconds?: number;
    containers: Container[];
    initContainers?: Container[];
    volumes?: Volume[];
    [field: string]: unknown;
  };
  status?: {
    phase?: "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown";
    conditions?: readonly Condition[];
    containerStatuses?: ContainerStatus[];
    startTime?: string;
    podIP?: string;
    hostIP?: string;
    [field: string]: unknown;
  };
}

export interface Container {
  name: string;
  image: string;
  volumeMounts?: { name: string }[];
  volumeDevices?: { name: string }[];
}

export interface Volume {
  name: string;
  persistentVolumeClaim?: { claimName: string; readOnly?: boolean };
  ephemeral?: { volumeClaimTemplate?: { metadata?: object; spec: object } };
}

export interface ContainerStatus {
  name: string;
  image: string;
  imageID: string;
  containerID?: string;
  ready: boolean;
  started?: boolean;
  restartCount: number;
  state: ContainerState;
  lastState: ContainerState;
}

interface ContainerState {
  waiting?: { reason: string; message?: string };
  running?: { startedAt: string };
  terminated?: { exitCode: number; reason: string; startedAt: string; finishedAt: string; containerID?: string };
}

/** Whether the pod has succeeded or failed: nothing of it will run again. */
export function isFinished(pod: PodObject): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

/** Whether nothing of the pod runs: it is finished, or it is being deleted and no container is reported as running. */
export function isTerminated(pod: PodObject): boolean {
  if (isFinished(pod)) return true;
  const running = pod.status?.containerStatuses?.some(({ state }) => state.running) ?? false;
  return isBeingDeleted(pod) && !running;
}
