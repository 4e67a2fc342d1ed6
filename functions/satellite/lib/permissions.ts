import type { Permission } from "../../../shared/declaration.ts";
import type { DeclaredWrites } from "../../../shared/declared-writes.ts";
import { Event, Node, PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import { Lease } from "../../../shared/kubernetes/lease.ts";
import { Cluster, LinstorCluster, LinstorSatellite, Machine, VolumeAttachment } from "./kinds.ts";
import { marksFor } from "./marks.ts";
import { preDrainHook, preTerminateHook } from "./names.ts";

/** What a rule does beside looking at single satellites and writing down its progress there. */
export interface Also {
  /** Of satellites, besides its progress. */
  readonly writes?: DeclaredWrites;
  /** Lists satellites: those that leave, and those that are waited for. */
  readonly satellites?: "list";
  /** Looks at the volumes of a node, or annotates them. */
  readonly volumes?: "list" | "annotate";
  /** Reads the Machine and its Cluster, or also sets or removes our hooks. */
  readonly machines?: "read" | "annotate";
  /** Writes conditions. */
  readonly conditions?: true;
  /** Records Events. */
  readonly events?: true;
}

/** What a rule that looks at satellites may. */
export function mayLook({
  writes = {},
  satellites,
  volumes,
  machines,
  conditions,
  events,
}: Also = {}): readonly Permission[] {
  const permissions: Permission[] = [
    { resource: LinstorSatellite, verbs: satellites ? ["get", "list", "patch"] : ["get", "patch"], writes },
    { resource: LinstorCluster, verbs: ["get"] },
    { resource: Node, verbs: volumes ? ["get", "list"] : ["get"] },
  ];
  if (machines) {
    permissions.push({ resource: Cluster, verbs: ["get"] });
    permissions.push(
      machines === "annotate"
        ? { resource: Machine, verbs: ["get", "patch"], writes: { annotations: [preDrainHook, preTerminateHook] } }
        : { resource: Machine, verbs: ["get"] },
    );
  }
  if (conditions) permissions.push({ resource: LinstorSatellite, subresource: "status", verbs: ["patch"] });
  if (events) permissions.push({ resource: Event, verbs: ["create", "get", "delete"] });
  if (volumes) {
    permissions.push(
      volumes === "annotate"
        ? {
            resource: PersistentVolume,
            verbs: ["list", "patch"],
            writes: { annotations: Object.values(marksFor("*")) },
          }
        : { resource: PersistentVolume, verbs: ["list"] },
    );
    permissions.push({ resource: VolumeAttachment, verbs: ["list"] });
  }
  return permissions;
}

/** What taking a Lease in the function's namespace takes. */
export const mayTake = (lease: string): readonly Permission[] => [
  {
    resource: Lease,
    verbs: ["create"],
    ownNamespace: true,
    bounds: [{ on: ["create"], says: `creates the Lease ${lease}`, cel: `object.metadata.name == "${lease}"` }],
  },
  { resource: Lease, names: [lease], verbs: ["get", "patch"], ownNamespace: true, writes: { fields: ["spec"] } },
];

/** The same for a rule of the nine steps, whose facts are all volumes and satellites. */
export const mayStep = (also: Also = {}): readonly Permission[] =>
  mayLook({ satellites: "list", volumes: "list", machines: "read", conditions: true, ...also });
