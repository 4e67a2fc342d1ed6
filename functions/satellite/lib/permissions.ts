import type { Permission } from "../../../shared/declaration.ts";
import { Event, Node, PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import { Cluster, LinstorCluster, LinstorSatellite, Machine, VolumeAttachment } from "./kinds.ts";

/** What a look at a satellite takes. */
const looks: readonly Permission[] = [
  { resource: LinstorSatellite, verbs: ["get", "list", "patch"] },
  { resource: LinstorSatellite, subresource: "status", verbs: ["patch"] },
  { resource: LinstorCluster, verbs: ["get"] },
  { resource: Event, verbs: ["create", "get", "delete"] },
  { resource: Cluster, verbs: ["get"] },
];

/** What every rule that looks at satellites may; `also` adds verbs for Machines, PersistentVolumes and Leases. */
export function mayLook(also: { readonly machines?: true; readonly volumes?: true } = {}): readonly Permission[] {
  return [
    ...looks,
    { resource: Node, verbs: ["get", "list"] },
    { resource: Machine, verbs: also.machines ? ["get", "patch"] : ["get"] },
    { resource: PersistentVolume, verbs: also.volumes ? ["list", "patch"] : ["list"] },
    { resource: VolumeAttachment, verbs: ["list"] },
  ];
}
