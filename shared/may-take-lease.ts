import type { Permission } from "./declaration.ts";
import type { DeclaredWrites } from "./declared-writes.ts";
import { Lease } from "./kubernetes/lease.ts";

/** What it takes to create a Lease in the function's namespace and to change it, and `why` that is done. */
export const mayTakeLease = (lease: string, why: string, writes: DeclaredWrites): readonly Permission[] => [
  {
    resource: Lease,
    verbs: ["create"],
    why: "to create the Lease when it is missing",
    ownNamespace: true,
    writes: { annotations: writes.annotations ?? [] },
    bounds: [{ on: ["create"], says: `creates the Lease ${lease}`, cel: `object.metadata.name == "${lease}"` }],
  },
  { resource: Lease, names: [lease], verbs: ["get", "patch"], why, ownNamespace: true, writes },
];
