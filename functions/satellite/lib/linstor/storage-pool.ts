import { z } from "zod";
import { entries } from "./entry.ts";

/** The diskless pool has the largest number that fits 64 bits, which is no capacity. */
const kibibytes = z
  .union([z.number(), z.bigint()])
  .optional()
  .transform((size) => (typeof size === "number" ? size : undefined));

/** A storage pool of one node. */
export const storagePool = z
  .object({
    storage_pool_name: z.string(),
    node_name: z.string(),
    provider_kind: z.string(),
    props: z.record(z.string(), z.string()).default({}),
    free_capacity: kibibytes,
    total_capacity: kibibytes,
    reports: entries.optional(),
  })
  .transform(({ storage_pool_name, node_name, provider_kind, props, free_capacity, total_capacity, reports }) => ({
    name: storage_pool_name,
    node: node_name,
    provider: provider_kind,
    props,
    /** KiB; absent while the node is offline, and for the diskless pool. */
    free: free_capacity,
    total: total_capacity,
    /** What is wrong with it. */
    reports: reports ?? [],
  }));

export type StoragePool = z.output<typeof storagePool>;
