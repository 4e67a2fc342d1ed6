import type { Permission } from "../../../shared/declaration.ts";
import { Event, Node, PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import { Cluster, LinstorCluster, LinstorSatellite, Machine, VolumeAttachment } from "./kinds.ts";

/** What a rule does beside looking at single satellites and writing down its progress there. */
export interface Also {
  /** Lists satellites: those that leave, and those that are waited for. */
  readonly satellites?: "list";
  /** Looks at the volumes of a node, or annotates them. */
  readonly volumes?: "list" | "annotate";
  /** Sets or removes our hooks. */
  readonly machines?: "annotate";
  /** Writes conditions. */
  readonly conditions?: true;
  /** Records Events. */
  readonly events?: true;
}

/** What a rule that looks at satellites may. */
export function mayLook({ satellites, volumes, machines, conditions, events }: Also = {}): readonly Permission[] {
  const may: Permission[] = [
    { resource: LinstorSatellite, verbs: satellites ? ["get", "list", "patch"] : ["get", "patch"] },
    { resource: LinstorCluster, verbs: ["get"] },
    { resource: Cluster, verbs: ["get"] },
    { resource: Node, verbs: volumes ? ["get", "list"] : ["get"] },
    { resource: Machine, verbs: machines ? ["get", "patch"] : ["get"] },
  ];
  if (conditions) may.push({ resource: LinstorSatellite, subresource: "status", verbs: ["patch"] });
  if (events) may.push({ resource: Event, verbs: ["create", "get", "delete"] });
  if (volumes) {
    may.push({ resource: PersistentVolume, verbs: volumes === "annotate" ? ["list", "patch"] : ["list"] });
    may.push({ resource: VolumeAttachment, verbs: ["list"] });
  }
  return may;
}

/** The same for a rule of the nine steps, whose facts are all volumes and satellites. */
export const mayStep = (also: Also = {}): readonly Permission[] =>
  mayLook({ satellites: "list", volumes: "list", conditions: true, ...also });
