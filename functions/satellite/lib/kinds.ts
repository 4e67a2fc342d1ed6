import type { Change } from "../../../shared/event/hint.ts";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import { on, type RuleTrigger } from "../../../shared/rule.ts";

/** What an administrator installs: where satellites run, and which LINSTOR is theirs. */
export const LinstorCluster = {
  apiVersion: "piraeus.io/v1",
  kind: "LinstorCluster",
  plural: "linstorclusters",
  namespaced: false,
  family: "nodes",
} as const satisfies Kind;
/** One for each Node that runs a satellite, by the Node's name. */
export const LinstorSatellite = {
  apiVersion: "piraeus.io/v1",
  kind: "LinstorSatellite",
  plural: "linstorsatellites",
  namespaced: false,
  family: "nodes",
} as const satisfies Kind;
/** What satellites of some Nodes are like: pools, properties, deletion policy. */
export const LinstorSatelliteConfiguration = {
  apiVersion: "piraeus.io/v1",
  kind: "LinstorSatelliteConfiguration",
  plural: "linstorsatelliteconfigurations",
  namespaced: false,
  family: "nodes",
} as const satisfies Kind;
/** What keeps a satellite's pod on its Node. */
export const DaemonSet = {
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  plural: "daemonsets",
  namespaced: true,
  family: "nodes",
} as const satisfies Kind;
export const VolumeAttachment = {
  apiVersion: "storage.k8s.io/v1",
  kind: "VolumeAttachment",
  plural: "volumeattachments",
  namespaced: false,
  family: "storage",
} as const satisfies Kind;
/** Of Cluster API, on the management cluster. */
export const Machine = {
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: "Machine",
  plural: "machines",
  namespaced: true,
  family: "nodes",
} as const satisfies Kind;
/** The same objects for management clusters before Cluster API 1.11. */
const MachineV1beta1 = { ...Machine, apiVersion: "cluster.x-k8s.io/v1beta1" } as const satisfies Kind;
export const Cluster = {
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: "Cluster",
  plural: "clusters",
  namespaced: true,
} as const satisfies Kind;
const ClusterV1beta1 = { ...Cluster, apiVersion: "cluster.x-k8s.io/v1beta1" } as const satisfies Kind;

/** What of Cluster API's kinds a management cluster serves, newest first; `undefined` where it serves none. */
export function managementKinds(served: readonly string[]): { machine: Kind; cluster: Kind } | undefined {
  const both = [
    { machine: Machine, cluster: Cluster },
    { machine: MachineV1beta1, cluster: ClusterV1beta1 },
  ];
  return both.find(({ machine }) => served.includes(machine.apiVersion));
}

/**
 * The changes of Machines that trigger a rule, in the versions that there are: each with an overlay of its own, because
 * a source of what the cluster does not serve does not run, and one of both versions would send every change twice.
 */
export function onMachine(changes: readonly Change[]): readonly RuleTrigger[] {
  return [on(Machine, changes, "cluster-api"), on(MachineV1beta1, changes, "cluster-api-v1beta1")];
}

/** Label of a satellite's DaemonSet and pods: the uid of the LinstorSatellite that they are of. */
export const satelliteLabel = "piraeus.io/linstor-satellite";

/** The name of a satellite's DaemonSet, as piraeus-operator has it. */
export const daemonSetName = (node: string): string => `linstor-satellite.${node}`;
