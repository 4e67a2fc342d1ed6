import { isIP } from "node:net";
import { type Entry, entry } from "./entry.ts";
import { findNode, notConnected, notFound, type World } from "./world.ts";

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
  const about = { operation: "create", object: "node", refs: { Node: name } } as const;
  const failed = `Registration of node '${name}' failed.`;
  const [first] = net_interfaces ?? [];
  if (!first) return [entry("error", about, 603, failed, { cause: "No network interfaces were given." })];
  const wrong = /[^A-Za-z0-9.-]/.exec(name)?.[0];
  if (wrong || !name || name.split(".").some((label) => label.length > 63)) {
    const cause = wrong ? `Domain name cannot contain character '${wrong}'` : "Domain name has an invalid length";
    return [entry("error", about, 200, `The given node name '${name}' is invalid.`, { cause })];
  }
  if (!isIP(first.address ?? "")) return [entry("error", about, 210, failed, { cause: "The IP address is not valid" })];
  if (findNode(world, name)) {
    const cause = `A node with the specified name '${name}' already exists.\nThe Node already exists`;
    return [entry("error", about, 500, failed, { cause })];
  }
  const id = world.random.uuid();
  world.database.nodes.push({
    name,
    uuid: id,
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
  const registered = entry("success", about, 1, `New node '${name}' registered.`, {
    details: `Node '${name}' UUID is: ${id}`,
  });
  const online = findNode(world, name)?.connection === "ONLINE";
  return [registered, online ? entry("success", about, 9, `Node '${name}' authenticated`) : notConnected(about, name)];
}

/** Keys that LINSTOR takes besides those under `Aux/`: those that satellites are given. */
const knownKeys = /^(Aux\/.+|AutoplaceTarget|PrefNic|StorPoolName|DrbdOptions\/.+|StorDriver\/.+|NetworkOptions\/.+)$/;

export interface PropertyBody {
  override_props?: Record<string, string>;
  delete_props?: string[];
  delete_namespaces?: string[];
}

/** Changes properties, and says of each change what LINSTOR says; all of it or, where a key or value is wrong, none. */
export function changeProperties(
  props: Record<string, string>,
  body: PropertyBody,
  about: Parameters<typeof entry>[1],
): Entry[] {
  for (const [key, value] of Object.entries(body.override_props ?? {})) {
    if (!knownKeys.test(key))
      return [
        entry("error", about, 213, `Invalid property key: ${key}`, { cause: `The key '${key}' is not whitelisted.` }),
      ];
    if (key === "AutoplaceTarget" && !/^(yes|no|true|false)$/i.test(value)) {
      const cause = `The value '${value}' is not valid for the key '${key}'`;
      return [entry("error", about, 213, `Invalid property(${key}) value: ${value}`, { cause })];
    }
  }
  const entries: Entry[] = [];
  const keys = (given: readonly string[]) => given.join(",");
  if (body.override_props) {
    Object.assign(props, body.override_props);
    const set = `Successfully set property key(s): ${keys(Object.keys(body.override_props))}`;
    entries.push(entry("success", { ...about, operation: "create" }, 1, set));
  }
  if (body.delete_props) {
    for (const key of body.delete_props) delete props[key];
    const deleted = `Successfully deleted property key(s): ${keys(body.delete_props)}`;
    entries.push(entry("success", { ...about, operation: "delete" }, 2, deleted));
  }
  for (const namespace of body.delete_namespaces ?? [])
    for (const key of Object.keys(props)) if (key.startsWith(`${namespace}/`)) delete props[key];
  return entries;
}

/** `PUT /v1/nodes/{node}`. */
export function modifyNode(world: World, given: string, body: PropertyBody): Entry[] {
  const about = { operation: "modify", object: "node", refs: { Node: given } } as const;
  const node = findNode(world, given);
  if (!node) return [{ ...notFound(given), ret_code: entry("error", about, 300).ret_code }];
  const changes = changeProperties(node.props, body, about);
  const failed = changes.length === 1 && changes[0]?.message?.startsWith("Invalid");
  return failed ? changes : [...changes, entry("success", about, 3, `Node '${node.name}' modified.`)];
}

/** `PUT /v1/nodes/{node}/net-interfaces/{name}`. */
export function modifyInterface(world: World, given: string, { address, satellite_port }: InterfaceBody): Entry[] {
  const node = findNode(world, given);
  if (!node) return [notFound(given)];
  if (address) node.interface.address = address;
  if (satellite_port) node.interface.port = satellite_port;
  const about = { operation: "modify", object: "interface", refs: { Node: node.name } } as const;
  return [entry("success", about, 3, `NetInterface '${node.interface.name}' on node '${node.name}' modified.`)];
}
