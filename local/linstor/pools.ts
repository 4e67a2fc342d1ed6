import { type Entry, entry } from "./entry.ts";
import { same } from "./model.ts";
import { changeProperties, type PropertyBody } from "./nodes.ts";
import { findNode, notConnected, notFound, satelliteOf, type World } from "./world.ts";

export interface PoolBody {
  storage_pool_name?: string;
  provider_kind?: string;
  props?: Record<string, string>;
}

const poolOf = ({ database }: World, node: string, pool: string) =>
  database.pools.find((one) => same(one.node, node) && same(one.name, pool));

/** `POST /v1/nodes/{node}/storage-pools`. A pool that the satellite cannot use is refused, and stays. */
export function createPool(
  world: World,
  given: string,
  { storage_pool_name = "", provider_kind = "", props = {} }: PoolBody,
) {
  const node = findNode(world, given);
  if (!node) return [notFound(given)];
  // What an offline satellite can do is not known.
  const can = node.connection === "ONLINE" && /^(FILE|FILE_THIN)$/.test(provider_kind);
  if (!can) return [entry("error", 989, `The satellite does not support the device provider ${provider_kind}`)];
  const named = `Node: ${node.name}, Storage pool name: ${storage_pool_name}`;
  if (poolOf(world, given, storage_pool_name)) return [entry("error", 510, `${named} already exists.`)];
  world.database.pools.push({
    name: storage_pool_name,
    node: node.name,
    kind: provider_kind,
    props,
    uuid: world.random.uuid(),
  });
  if (satelliteOf(world, node)?.directories.has(props["StorDriver/StorPoolName"] ?? "")) return [];
  const why =
    `Registration of storage pool '${storage_pool_name}' on node '${node.name}' failed due to an ` +
    `unhandled exception of type DelayedApiRcException. Exceptions have been converted to responses`;
  return [entry("error", 990, `(${node.name}) External command failed`), entry("error", 998, why)];
}

/** `PUT /v1/nodes/{node}/storage-pools/{pool}`. */
export function modifyPool(world: World, node: string, name: string, body: PropertyBody): Entry[] {
  const pool = poolOf(world, node, name);
  if (!pool) return [entry("error", 310, `Storage pool '${name}' on node '${node}' not found.`)];
  return changeProperties(pool.props, body);
}

/** `DELETE /v1/nodes/{node}/storage-pools/{pool}`. */
export function deletePool(world: World, node: string, name: string): Entry[] {
  const pool = poolOf(world, node, name);
  if (!pool) {
    const cause = `Storage pool '${name}' on node '${node}' does not exist.`;
    return [entry("warning", 3000, `Deletion of storage pool '${name}' on node '${node}' had no effect.`, { cause })];
  }
  if (world.database.resources.some((one) => same(one.node, node) && one.pool === pool.name)) {
    const why = "can not be deleted as volumes / snapshot-volumes are still using it.";
    return [entry("error", 997, `The specified storage pool '${name}' on node '${node}' ${why}`)];
  }
  world.database.pools = world.database.pools.filter((other) => other !== pool);
  return findNode(world, node)?.connection === "ONLINE" ? [] : [notConnected(node)];
}
