import { z } from "zod";

const netInterface = z
  .object({
    name: z.string(),
    address: z.string(),
    satellite_port: z.number().optional(),
    satellite_encryption_type: z.string().optional(),
    is_active: z.boolean().optional(),
  })
  .transform(({ name, address, satellite_port, satellite_encryption_type, is_active }) => ({
    name,
    address,
    port: satellite_port,
    encryption: satellite_encryption_type,
    active: is_active ?? false,
  }));

/** A node as LINSTOR lists it. */
export const linstorNode = z
  .object({
    name: z.string(),
    type: z.string(),
    flags: z.array(z.string()).default([]),
    props: z.record(z.string(), z.string()).default({}),
    net_interfaces: z.array(netInterface).default([]),
    connection_status: z.string().default("UNKNOWN"),
    uuid: z.string().optional(),
    storage_providers: z.array(z.string()).default([]),
    eviction_timestamp: z.number().optional(),
  })
  .transform(({ net_interfaces, connection_status, storage_providers, eviction_timestamp, ...node }) => ({
    ...node,
    interfaces: net_interfaces,
    /** ONLINE, OFFLINE, CONNECTED (its state is still being read) or one of ten more. Only ONLINE is good. */
    connection: connection_status,
    providers: storage_providers,
    /** Milliseconds since the epoch at which LINSTOR will evict it; only while it is offline. */
    evictedAt: eviction_timestamp,
  }));

export type LinstorNode = z.output<typeof linstorNode>;

/** LINSTOR compares names without case, and writes `MigrateFrom` in capitals. */
export function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The property by which a node says that it is registered for Kubernetes; piraeus-operator has it, too. */
export const witness = "Aux/piraeus.io/managed-by";
const witnesses = [witness, "Aux/piraeus.io/last-applied"];
/**
 * Whether a node says that it was registered for Kubernetes. One that does not is somebody else's, whatever its name:
 * it is neither evacuated nor removed.
 */
export const isWitnessed = ({ props }: LinstorNode) => witnesses.some((key) => props[key] !== undefined);

export const isOnline = ({ connection }: LinstorNode) => connection === "ONLINE";
/** An evacuation was begun, and was not taken back. Stays when the node is empty. */
export const isEvacuating = ({ flags }: LinstorNode) => flags.includes("EVACUATE");
/** LINSTOR itself gave the node up. Always shown together with DELETE. */
export const isEvicted = ({ flags }: LinstorNode) => flags.includes("EVICTED");
