import { z } from "zod";

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
