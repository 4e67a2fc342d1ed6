import { diskState, isDiskless, type Node, type Pool, type Resource, type Snapshot } from "./model.ts";
import { isOnline, type World } from "./world.ts";

const listed = (flags: ReadonlySet<string>) => (flags.size ? { flags: [...flags].sort() } : {});

/** A node as `GET /v1/nodes` lists it. */
export function nodeView(node: Node) {
  const { name, address, port, uuid } = node.interface;
  const online = node.connection === "ONLINE";
  return {
    name: node.name,
    type: "SATELLITE",
    ...listed(node.flags),
    props: node.props,
    net_interfaces: [
      { name, address, satellite_port: port, satellite_encryption_type: "PLAIN", is_active: true, uuid },
    ],
    connection_status: node.connection,
    uuid: node.uuid,
    storage_providers: ["DISKLESS", ...(online ? ["FILE", "FILE_THIN"] : []), "REMOTE_SPDK", "EBS_INIT", "EBS_TARGET"],
  };
}

/** A resource as `GET /v1/view/resources` lists it: what a satellite that is not connected would say is absent. */
export function resourceView(world: World, resource: Resource) {
  const { name, node, flags, props, uuid, pool, inUse, deployed } = resource;
  const drbd = world.database.definitions.find((one) => one.name === name)?.drbd ?? false;
  const known = deployed && isOnline(world, node);
  const volumeFlags = ["DELETE", "DRBD_DELETE"].filter((flag) => flags.has(flag));
  const { tieBreakerDue: _, ...shown } = props;
  const disk =
    drbd && known
      ? { state: { disk_state: isDiskless(resource) ? "Diskless" : diskState(resource, world.clock.now()) } }
      : {};
  return {
    name,
    node_name: node,
    ...listed(flags),
    props: { ...shown, StorPoolName: pool },
    layer_object: drbd
      ? { type: "DRBD", children: [{ type: "STORAGE" }], drbd: { connections: {} } }
      : { type: "STORAGE" },
    ...(known ? { state: drbd ? { in_use: inUse } : {} } : {}),
    uuid,
    volumes: [
      {
        volume_number: 0,
        storage_pool_name: pool,
        provider_kind: isDiskless(resource) ? "DISKLESS" : "FILE_THIN",
        ...(volumeFlags.length ? { flags: volumeFlags } : {}),
        ...disk,
      },
    ],
  };
}

export function snapshotView({ name, resource, uuid, nodes }: Snapshot) {
  const parts = nodes.map((node) => ({ snapshot_name: name, node_name: node }));
  return { name, resource_name: resource, nodes, flags: ["SUCCESSFUL"], uuid, snapshots: parts };
}

const largest = 9223372036854775807n;

/** Pools of a node, the diskless one that each node has among them. */
export function poolViews(world: World, node: Node) {
  const view = ({ name, kind, props, uuid }: Pool, capacity: object) => {
    const named = { storage_pool_name: name, node_name: node.name, provider_kind: kind };
    return { ...named, ...(Object.keys(props).length ? { props } : {}), ...capacity, uuid };
  };
  const own = world.database.pools.filter((pool) => pool.node === node.name);
  const capacity = node.connection === "ONLINE" ? { free_capacity: 70_000_000, total_capacity: 264_212_084 } : {};
  const diskless = { name: "DfltDisklessStorPool", node: node.name, kind: "DISKLESS", props: {}, uuid: node.uuid };
  return [
    view(diskless, { free_capacity: largest, total_capacity: largest }),
    ...own.map((pool) => view(pool, capacity)),
  ];
}
