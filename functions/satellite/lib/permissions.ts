import type { Permission } from "../../../shared/declaration.ts";
import type { DeclaredWrites } from "../../../shared/declared-writes.ts";
import { Event, Node, PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import { Lease } from "../../../shared/kubernetes/lease.ts";
import { Cluster, LinstorCluster, LinstorSatellite, Machine, VolumeAttachment } from "./kinds.ts";
import { type Marks, marksFor } from "./marks.ts";
import type { preDrainHook, preTerminateHook } from "./names.ts";

/** What a rule does beside looking at single satellites and writing down its progress there. */
export interface Also {
  /** Of satellites, besides its progress. */
  readonly writes?: DeclaredWrites;
  /** Lists satellites: those that leave, and those that are waited for. */
  readonly satellites?: "list";
  /** Looks at the volumes of a node. */
  readonly volumes?: "list";
  /** Of our annotations on volumes, those that it sets or removes. */
  readonly marks?: readonly (keyof Marks)[];
  /** Reads the Machine and its Cluster. */
  readonly machines?: "read";
  /** Of our hooks on the Machine, those that it sets or removes. */
  readonly hooks?: readonly (typeof preDrainHook | typeof preTerminateHook)[];
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
  marks,
  machines,
  hooks,
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
      hooks
        ? { resource: Machine, verbs: ["get", "patch"], writes: { annotations: hooks } }
        : { resource: Machine, verbs: ["get"] },
    );
  }
  if (conditions) permissions.push({ resource: LinstorSatellite, subresource: "status", verbs: ["patch"] });
  if (events) permissions.push({ resource: Event, verbs: ["create", "get", "delete"] });
  if (volumes) {
    permissions.push(
      marks
        ? {
            resource: PersistentVolume,
            verbs: ["list", "patch"],
            writes: { annotations: marks.map((mark) => marksFor("*")[mark]) },
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
