import { z } from "zod";

/** A snapshot with the nodes that hold it. */
export const snapshot = z
  .object({
    name: z.string(),
    resource_name: z.string(),
    nodes: z.array(z.string()).default([]),
    flags: z.array(z.string()).default([]),
    snapshots: z.array(z.object({ node_name: z.string() })).default([]),
  })
  .transform(({ name, resource_name, nodes, flags, snapshots }) => ({
    name,
    resource: resource_name,
    nodes: [...new Set([...nodes, ...snapshots.map(({ node_name }) => node_name)])],
    flags,
  }));

export type Snapshot = z.output<typeof snapshot>;
