import { type Condition, conditionOf } from "../objects/condition.ts";
import type { NodeObject } from "../objects/node.ts";

/** The status of a node in good health, as the kubelet reports it. */
export function nodeStatus(node: NodeObject, hostIP: string, now: string): object {
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
