import * as z from "zod";
import { entries } from "./answer.ts";

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
 * Whether a node says that it was registered for Kubernetes. A node that does not say so belongs to another user,
 * also if it has one of our names: it is neither evacuated nor removed.
 */
export const isWitnessed = ({ props }: LinstorNode) => witnesses.some((key) => props[key] !== undefined);

export const isOnline = ({ connection }: LinstorNode) => connection === "ONLINE";
/** An evacuation was begun, and was not taken back. Stays when the node is empty. */
export const isEvacuating = ({ flags }: LinstorNode) => flags.includes("EVACUATE");
/** LINSTOR itself gave the node up. Always shown together with DELETE. */
export const isEvicted = ({ flags }: LinstorNode) => flags.includes("EVICTED");

/**
 * The property of a LINSTOR node that keeps what was warned of when it was called to evacuate that node: its answer
 * says once what cannot be moved, and nothing that is read later does.
 */
export const answerKey = "Aux/holdfast.dev/evacuate-answer";
/** The property that keeps which call was answered last: when it was made, RFC 3339. */
export const answeredKey = "Aux/holdfast.dev/evacuate-answered";
/** What is kept, in LINSTOR's words. */
export function keptAnswer({ props }: LinstorNode): readonly string[] {
  const text = props[answerKey];
  return text ? [text] : [];
}

/**
 * When the call was made that LINSTOR has answered last, in milliseconds since the epoch: that call is no longer being
 * carried out, and the copies that it makes are listed. `undefined` while no answer is known.
 */
export function answeredCall({ props }: LinstorNode): number | undefined {
  const time = Date.parse(props[answeredKey] ?? "");
  return Number.isNaN(time) ? undefined : time;
}

const volume = z
  .object({
    volume_number: z.number(),
    storage_pool_name: z.string().optional(),
    provider_kind: z.string().optional(),
    flags: z.array(z.string()).default([]),
    // Seen as null for a moment after a satellite's return.
    state: z.object({ disk_state: z.string().nullish() }).nullish(),
  })
  .transform(({ volume_number, storage_pool_name, provider_kind, flags, state }) => ({
    number: volume_number,
    pool: storage_pool_name,
    provider: provider_kind,
    flags,
    /** `UpToDate` is a good copy; anything else is none (`SyncTarget(12.34%)`), and `undefined` is unknown. */
    diskState: state?.disk_state ?? undefined,
  }));

const connection = z.object({ connected: z.boolean().default(false), message: z.string().optional() });

/** A layer of a resource, with those below it. */
interface Layer {
  type?: string | undefined;
  children?: Layer[] | undefined;
  drbd?: { connections?: Record<string, z.output<typeof connection>> | undefined } | undefined;
}
const layer: z.ZodType<Layer> = z.object({
  type: z.string().optional(),
  get children() {
    return z.array(layer).optional();
  },
  drbd: z.object({ connections: z.record(z.string(), connection).optional() }).optional(),
});

/** One copy of a volume group on one node, or the diskless use of it, as `view/resources` lists it. */
export const resource = z
  .object({
    name: z.string(),
    node_name: z.string(),
    flags: z.array(z.string()).default([]),
    props: z.record(z.string(), z.string()).default({}),
    state: z.object({ in_use: z.boolean().optional() }).nullish(),
    layer_object: layer.optional(),
    volumes: z.array(volume).default([]),
    uuid: z.string().optional(),
  })
  .transform(({ node_name, state, layer_object, ...rest }) => ({
    ...rest,
    node: node_name,
    /** Whether the satellite has said anything about it: not before it is deployed, and not while it is offline. */
    reported: state !== undefined && state !== null,
    /** `undefined` when unknown, and for resources without DRBD. */
    inUse: state?.in_use,
    /** Whether DRBD is among its layers. Without it a resource can be neither moved nor counted. */
    replicated: layersOf(layer_object).some(({ type }) => type === "DRBD"),
    /** DRBD's connections by the peer's name. */
    peers: Object.assign({}, ...layersOf(layer_object).map(({ drbd }) => drbd?.connections ?? {})) as Record<
      string,
      z.output<typeof connection>
    >,
  }));

export type Resource = z.output<typeof resource>;

function layersOf(top: Layer | undefined): readonly Layer[] {
  return top ? [top, ...(top.children ?? []).flatMap(layersOf)] : [];
}

/** Uses volumes of other nodes: a client, or a tie breaker. */
export const isDiskless = ({ flags }: Resource) => flags.includes("DISKLESS");
/** On its way out. `DRBD_DELETE` comes first, `DELETE` after it. */
export const isLeaving = ({ flags }: Resource) => flags.includes("DELETE") || flags.includes("DRBD_DELETE");

/** A copy that would be enough to go on with: diskful, staying, active, and every volume of it UpToDate. */
export function isGoodCopy(copy: Resource): boolean {
  return (
    !isDiskless(copy) &&
    !isLeaving(copy) &&
    !copy.flags.includes("INACTIVE") &&
    copy.volumes.length > 0 &&
    copy.volumes.every(({ diskState }) => diskState === "UpToDate")
  );
}

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

/** What all copies of a volume have in common. */
export const resourceDefinition = z
  .object({
    name: z.string(),
    resource_group_name: z.string().optional(),
    props: z.record(z.string(), z.string()).default({}),
    flags: z.array(z.string()).default([]),
  })
  .transform(({ resource_group_name, ...rest }) => ({ ...rest, group: resource_group_name }));

export type ResourceDefinition = z.output<typeof resourceDefinition>;

/** How the volumes of a group are placed. */
export const resourceGroup = z
  .object({
    name: z.string(),
    props: z.record(z.string(), z.string()).default({}),
    select_filter: z.object({ place_count: z.number().optional() }).optional(),
  })
  .transform(({ select_filter, ...rest }) => ({ ...rest, placeCount: select_filter?.place_count }));

export type ResourceGroup = z.output<typeof resourceGroup>;

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
