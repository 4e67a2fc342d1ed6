import { isIP } from "node:net";
import { type Entry, entry } from "./entry.ts";
import { findNode, notConnected, notFound, resourcesOn, type World } from "./world.ts";

interface InterfaceBody {
  name?: string;
  address?: string;
  satellite_port?: number;
  satellite_encryption_type?: string;
}
export interface NodeBody {
  name?: string;
  type?: string;
  net_interfaces?: InterfaceBody[];
  props?: Record<string, string>;
}

/** `POST /v1/nodes`; answers after the first attempt to connect. */
export async function createNode(
  world: World,
  { name = "", net_interfaces, props }: NodeBody,
  connect: (node: string) => void,
) {
  const failed = `Registration of node '${name}' failed.`;
  const [first] = net_interfaces ?? [];
  if (!first) return [entry("error", 603, failed, { cause: "No network interfaces were given." })];
  const wrong = /[^A-Za-z0-9.-]/.exec(name)?.[0];
  if (wrong || !name || name.split(".").some((label) => label.length > 63)) {
    const cause = wrong ? `Domain name cannot contain character '${wrong}'` : "Domain name has an invalid length";
    return [entry("error", 200, `The given node name '${name}' is invalid.`, { cause })];
  }
  if (!isIP(first.address ?? "")) return [entry("error", 210, failed, { cause: "The IP address is not valid" })];
  if (findNode(world, name)) {
    const cause = `A node with the specified name '${name}' already exists.\nThe Node already exists`;
    return [entry("error", 500, failed, { cause })];
  }
  world.database.nodes.push({
    name,
    uuid: world.random.uuid(),
    flags: new Set<string>(),
    props: { ...props, CurStltConnName: first.name ?? "default" },
    interface: {
      name: first.name ?? "default",
      address: first.address ?? "",
      port: first.satellite_port ?? 3366,
      uuid: world.random.uuid(),
    },
    connection: "OFFLINE" as const,
    offlineSince: world.clock.now(),
  });
  connect(name);
  await world.clock.sleep(1_000);
  return findNode(world, name)?.connection === "ONLINE" ? [] : [notConnected(name)];
}

/** Keys that LINSTOR takes besides those under `Aux/`: those that satellites are given. */
const knownKeys = /^(Aux\/.+|AutoplaceTarget|PrefNic|StorPoolName|DrbdOptions\/.+|StorDriver\/.+|NetworkOptions\/.+)$/;

export interface PropertyBody {
  override_props?: Record<string, string>;
  delete_props?: string[];
  delete_namespaces?: string[];
}

/** Changes properties: all or, where a key or value is wrong, none, and says what is wrong. */
export function changeProperties(props: Record<string, string>, body: PropertyBody): Entry[] {
  for (const [key, value] of Object.entries(body.override_props ?? {})) {
    if (!knownKeys.test(key))
      return [entry("error", 213, `Invalid property key: ${key}`, { cause: `The key '${key}' is not whitelisted.` })];
    if (key === "AutoplaceTarget" && !/^(yes|no|true|false)$/i.test(value)) {
      const cause = `The value '${value}' is not valid for the key '${key}'`;
      return [entry("error", 213, `Invalid property(${key}) value: ${value}`, { cause })];
    }
  }
  Object.assign(props, body.override_props);
  for (const key of body.delete_props ?? []) delete props[key];
  for (const namespace of body.delete_namespaces ?? [])
    for (const key of Object.keys(props)) if (key.startsWith(`${namespace}/`)) delete props[key];
  return [];
}

/** `PUT /v1/nodes/{node}`. */
export function modifyNode(world: World, given: string, body: PropertyBody): Entry[] {
  const node = findNode(world, given);
  return node ? changeProperties(node.props, body) : [notFound(given)];
}

/** `PUT /v1/nodes/{node}/net-interfaces/{name}`. */
export function modifyInterface(world: World, given: string, { address, satellite_port }: InterfaceBody): Entry[] {
  const node = findNode(world, given);
  if (!node) return [notFound(given)];
  if (address) node.interface.address = address;
  if (satellite_port) node.interface.port = satellite_port;
  return [];
}

/** `PUT /v1/nodes/{node}/restore`: takes flags back. A migration that is under way goes on, and its source goes. */
export function restoreNode(world: World, given: string): Entry[] {
  const node = findNode(world, given);
  if (!node) return [notFound(given)];
  if (!node.flags.has("EVACUATE") && !node.flags.has("EVICTED"))
    return [entry("error", 0, `Node '${node.name}' is neither evicted nor evacuated.`)];
  for (const flag of ["EVACUATE", "EVICTED", "DELETE"]) node.flags.delete(flag);
  // DELETE stays, and so does MigrateFrom, for ever.
  for (const resource of resourcesOn(world, node.name))
    for (const flag of ["EVACUATE", "EVICTED", "INACTIVE"]) resource.flags.delete(flag);
  return [];
}
