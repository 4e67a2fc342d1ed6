import { type Entry, entry, statusOf } from "./entry.ts";
import { evacuate } from "./evacuate.ts";
import { type Node, same } from "./model.ts";
import { changeProperties, createNode, modifyInterface, modifyNode, restoreNode } from "./nodes.ts";
import { createPool, deletePool, modifyPool } from "./pools.ts";
import { deleteNode, loseNode } from "./remove-node.ts";
import { nodeView, poolViews, resourceView, snapshotView } from "./views.ts";
import { findNode, notFound, type World } from "./world.ts";

/** What is answered: the body becomes JSON. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

interface Call {
  readonly world: World;
  /** What stands in the place of the first star of the path, and of the second. */
  readonly params: readonly [first: string, second: string];
  readonly query: URLSearchParams;
  // biome-ignore lint/suspicious/noExplicitAny: Each route knows its own body, and has its fields checked.
  readonly body: any;
  /** Begins to connect a node with its satellite. */
  readonly connect: (node: string) => void;
}

/** How a request is answered; the fields that its body may have, where it has one. */
type Route = readonly [run: (call: Call) => Answer | Promise<Answer>, ...fields: readonly string[]];

const read = (body: unknown): Answer => ({ status: 200, body });
const errors = (entries: readonly Entry[]): Answer => ({ status: statusOf(entries, 200), body: entries });
const wrote = async (entries: readonly Entry[] | Promise<readonly Entry[]>, success = 200): Promise<Answer> => {
  const all = await entries;
  return { status: statusOf(all, success), body: all };
};
const properties = ["override_props", "delete_props", "delete_namespaces", "node_type"];
const ofNode = ({ world, params: [node] }: Call, view: (found: Node) => unknown): Answer => {
  const found = findNode(world, node);
  return found ? read(view(found)) : errors([notFound(node)]);
};

/** A filter that names an unknown node is an error for resources, and no error for snapshots. */
function resources({ world, query }: Call): Answer {
  const [nodes, names] = [query.getAll("nodes"), query.getAll("resources")];
  const unknown = nodes.find((node) => !findNode(world, node));
  if (unknown) return errors([notFound(unknown)]);
  const listed = world.database.resources.filter(
    (one) =>
      (!nodes.length || nodes.some((node) => same(node, one.node))) && (!names.length || names.includes(one.name)),
  );
  return read(listed.map((one) => resourceView(world, one)));
}

function snapshots({ world, query }: Call): Answer {
  const nodes = query.getAll("nodes");
  const wanted = (held: readonly string[]) =>
    !nodes.length || held.some((one) => nodes.some((node) => same(node, one)));
  return read(world.database.snapshots.filter((one) => wanted(one.nodes)).map(snapshotView));
}

/** By method and path below `/v1/`. */
const routes: Readonly<Record<string, Route>> = {
  "GET controller/version": [() => read({ version: "1.33.3", rest_api_version: "1.27.0" })],
  "GET controller/properties": [({ world }) => read(world.database.props)],
  "POST controller/properties": [
    ({ world, body }) => wrote(changeProperties(world.database.props, body), 201),
    ...properties,
  ],
  "GET nodes": [({ world }) => read(world.database.nodes.map(nodeView))],
  "POST nodes": [
    ({ world, body, connect }) => wrote(createNode(world, body, connect), 201),
    ...["name", "type", "net_interfaces", "props"],
  ],
  "GET nodes/*": [(call) => ofNode(call, nodeView)],
  "PUT nodes/*": [({ world, params: [node], body }) => wrote(modifyNode(world, node, body)), ...properties],
  "DELETE nodes/*": [({ world, params: [node] }) => wrote(deleteNode(world, node))],
  "DELETE nodes/*/lost": [({ world, params: [node] }) => wrote(loseNode(world, node))],
  "PUT nodes/*/evacuate": [
    ({ world, params: [node], body }) => wrote(evacuate(world, node, body)),
    ...["target", "do_not_target"],
  ],
  "PUT nodes/*/restore": [
    ({ world, params: [node] }) => wrote(restoreNode(world, node)),
    ...["delete_resources", "delete_snapshots"],
  ],
  "PUT nodes/*/net-interfaces/*": [
    ({ world, params: [node], body, connect }) => {
      const entries = modifyInterface(world, node, body);
      connect(node);
      return wrote(entries);
    },
    ...["name", "address", "satellite_port", "satellite_encryption_type"],
  ],
  "GET nodes/*/storage-pools": [(call) => ofNode(call, (node) => poolViews(call.world, node))],
  "POST nodes/*/storage-pools": [
    ({ world, params: [node], body }) => wrote(createPool(world, node, body), 201),
    ...["storage_pool_name", "provider_kind", "props"],
  ],
  "PUT nodes/*/storage-pools/*": [
    ({ world, params: [node, pool], body }) => wrote(modifyPool(world, node, pool, body)),
    ...properties,
  ],
  "DELETE nodes/*/storage-pools/*": [({ world, params: [node, pool] }) => wrote(deletePool(world, node, pool))],
  "GET view/resources": [resources],
  "GET view/snapshots": [snapshots],
  "GET resource-definitions": [
    ({ world }) =>
      read(world.database.definitions.map(({ group, drbd: _, ...rest }) => ({ ...rest, resource_group_name: group }))),
  ],
  "GET resource-groups": [
    ({ world }) =>
      read(
        [...world.database.groups].map(([name, { placeCount, uuid }]) => ({
          name,
          uuid,
          ...(placeCount === undefined ? {} : { select_filter: { place_count: placeCount } }),
        })),
      ),
  ],
};

const known = Object.entries(routes).map(([key, route]) => {
  const [method, path = ""] = key.split(" ");
  return { method, path: new RegExp(`^/v1/${path.replaceAll("*", "([^/]+)")}$`), route };
});

/** Answers a request as LINSTOR's REST API does, wrong ones among them. */
export async function answer(
  world: World,
  request: { method: string; path: string; body?: string },
  connect: Call["connect"],
): Promise<Answer> {
  const url = new URL(request.path, "http://linstor");
  const there = known.filter(({ path }) => path.test(url.pathname));
  const found = there.find(({ method }) => method === request.method);
  if (!found) {
    const message = there.length
      ? `Method '${request.method}' not allowed on path '${url.pathname}'.`
      : `Path '${url.pathname}' not found on server.`;
    return { status: there.length ? 405 : 404, body: [entry("error", 998, message)] };
  }
  const [run, ...fields] = found.route;
  const body = bodyOf(fields, request.body);
  if ("ret_code" in body) return { status: 500, body: [body] };
  const [, first = "", second = ""] = (found.path.exec(url.pathname) ?? []).map(decodeURIComponent);
  return run({ world, params: [first, second], query: url.searchParams, body: body.value, connect });
}

/** Unknown fields are refused like what is no JSON; no body at all is an empty object where one would be. */
function bodyOf(fields: readonly string[], text: string | undefined): { value: object } | Entry {
  const refused = (details: string) => entry("error", 32765, "Unable to parse input json.", { details });
  if (fields.length === 0 || text === undefined) return { value: {} };
  try {
    const value = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return refused("Cannot deserialize value");
    const unknown = Object.keys(value).find((field) => !fields.includes(field));
    if (unknown) return refused(`Unrecognized field "${unknown}"`);
    const list = ["target", "do_not_target"].find((field) => field in value && !Array.isArray(value[field]));
    return list ? refused("Cannot construct instance of `java.util.ArrayList`") : { value };
  } catch {
    return refused("Unexpected end-of-input");
  }
}
