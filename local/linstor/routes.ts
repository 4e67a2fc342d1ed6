import { type Entry, entry, nothing, statusOf } from "./entry.ts";
import { evacuate, type Lists } from "./evacuate.ts";
import { same } from "./model.ts";
import { changeProperties, createNode, modifyInterface, modifyNode } from "./nodes.ts";
import { createPool, deletePool, modifyPool } from "./pools.ts";
import { deleteNode, loseNode } from "./remove-node.ts";
import { restoreNode } from "./restore-node.ts";
import { nodeView, poolViews, resourceView, snapshotView } from "./views.ts";
import { findNode, notFound, type World } from "./world.ts";

/** What is answered: the body becomes JSON. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

interface Call {
  readonly world: World;
  readonly params: readonly string[];
  readonly query: URLSearchParams;
  // biome-ignore lint/suspicious/noExplicitAny: Each route knows its own body, and has its fields checked.
  readonly body: any;
  /** Begins to connect a node with its satellite. */
  readonly connect: (node: string) => void;
}

interface Route {
  readonly method: string;
  readonly path: RegExp;
  /** Of the body; any other is refused. */
  readonly fields?: readonly string[];
  readonly run: (call: Call) => Answer | Promise<Answer>;
}

const read = (body: unknown): Answer => ({ status: 200, body });
const errors = (entries: readonly Entry[]): Answer => ({ status: statusOf(entries, 200), body: entries });
const wrote = async (entries: readonly Entry[] | Promise<readonly Entry[]>, success = 200): Promise<Answer> => {
  const all = await entries;
  return { status: statusOf(all, success), body: all };
};
const properties = ["override_props", "delete_props", "delete_namespaces", "node_type"];
const name = "([^/]+)";
const at = (path: string) => new RegExp(`^/v1/${path}$`);

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

function deleteSnapshot({ world, params, query }: Call): Entry[] {
  const [resource, snapshot] = params as [string, string];
  const about = { operation: "delete", object: "snapshot", refs: { RscDfn: resource, Snapshot: snapshot } } as const;
  const found = world.database.snapshots.find((one) => one.resource === resource && one.name === snapshot);
  if (!found) return [entry("warning", about, 3000, `Snapshot '${snapshot}' of resource '${resource}' not found.`)];
  const nodes = query.getAll("nodes");
  found.nodes = nodes.length ? found.nodes.filter((held) => !nodes.some((node) => same(node, held))) : [];
  world.database.snapshots = world.database.snapshots.filter((one) => one.nodes.length > 0);
  return [
    entry(
      "success",
      about,
      2,
      `Snapshot '${snapshot}' of resource '${resource}' on nodes '${nodes.join(",")}' deleted.`,
    ),
  ];
}

const routes: readonly Route[] = [
  { method: "GET", path: at("controller/version"), run: () => read({ version: "1.33.3", rest_api_version: "1.27.0" }) },
  { method: "GET", path: at("controller/properties"), run: ({ world }) => read(world.database.props) },
  {
    method: "POST",
    path: at("controller/properties"),
    fields: properties,
    run: ({ world, body }) =>
      wrote(changeProperties(world.database.props, body, { operation: "modify", object: "controller" }), 201),
  },
  {
    method: "GET",
    path: at("nodes"),
    run: ({ world }) => read(world.database.nodes.map((node) => nodeView(world, node))),
  },
  {
    method: "POST",
    path: at("nodes"),
    fields: ["name", "type", "net_interfaces", "props"],
    run: ({ world, body, connect }) => wrote(createNode(world, body, connect), 201),
  },
  {
    method: "GET",
    path: at(`nodes/${name}`),
    run: ({ world, params: [node = ""] }) => {
      const found = findNode(world, node);
      return found ? read(nodeView(world, found)) : errors([notFound(node)]);
    },
  },
  {
    method: "PUT",
    path: at(`nodes/${name}`),
    fields: properties,
    run: ({ world, params: [node = ""], body }) => wrote(modifyNode(world, node, body)),
  },
  {
    method: "DELETE",
    path: at(`nodes/${name}`),
    run: ({ world, params: [node = ""] }) => wrote(deleteNode(world, node)),
  },
  {
    method: "DELETE",
    path: at(`nodes/${name}/lost`),
    run: ({ world, params: [node = ""] }) => wrote(loseNode(world, node)),
  },
  {
    method: "PUT",
    path: at(`nodes/${name}/evacuate`),
    fields: ["target", "do_not_target"],
    run: ({ world, params: [node = ""], body }) => wrote(evacuate(world, node, body as Lists)),
  },
  {
    method: "PUT",
    path: at(`nodes/${name}/restore`),
    fields: ["delete_resources", "delete_snapshots"],
    run: ({ world, params: [node = ""], body }) => wrote(restoreNode(world, node, body)),
  },
  {
    method: "PUT",
    path: at(`nodes/${name}/net-interfaces/${name}`),
    fields: ["name", "address", "satellite_port", "satellite_encryption_type"],
    run: ({ world, params: [node = ""], body, connect }) => {
      const entries = modifyInterface(world, node, body);
      connect(node);
      return wrote(entries);
    },
  },
  {
    method: "GET",
    path: at(`nodes/${name}/storage-pools`),
    run: ({ world, params: [node = ""] }) => {
      const found = findNode(world, node);
      return found ? read(poolViews(world, found)) : errors([notFound(node)]);
    },
  },
  {
    method: "POST",
    path: at(`nodes/${name}/storage-pools`),
    fields: ["storage_pool_name", "provider_kind", "props"],
    run: ({ world, params: [node = ""], body }) => wrote(createPool(world, node, body), 201),
  },
  {
    method: "PUT",
    path: at(`nodes/${name}/storage-pools/${name}`),
    fields: properties,
    run: ({ world, params: [node = "", pool = ""], body }) => wrote(modifyPool(world, node, pool, body)),
  },
  {
    method: "DELETE",
    path: at(`nodes/${name}/storage-pools/${name}`),
    run: ({ world, params: [node = "", pool = ""] }) => wrote(deletePool(world, node, pool)),
  },
  { method: "GET", path: at("view/resources"), run: resources },
  { method: "GET", path: at("view/snapshots"), run: snapshots },
  {
    method: "DELETE",
    path: at(`resource-definitions/${name}/snapshots/${name}`),
    run: (call) => wrote(deleteSnapshot(call)),
  },
  {
    method: "GET",
    path: at("resource-definitions"),
    run: ({ world }) =>
      read(world.database.definitions.map(({ group, drbd: _, ...rest }) => ({ ...rest, resource_group_name: group }))),
  },
  {
    method: "GET",
    path: at("resource-groups"),
    run: ({ world }) => {
      const view = ([group, { placeCount, uuid }]: [string, { placeCount?: number; uuid: string }]) => {
        return {
          name: group,
          uuid,
          ...(placeCount === undefined ? {} : { select_filter: { place_count: placeCount } }),
        };
      };
      return read([...world.database.groups].map(view));
    },
  },
];

/** Answers a request as LINSTOR's REST API does, wrong ones among them. */
export async function answer(
  world: World,
  request: { method: string; path: string; body?: string },
  connect: Call["connect"],
): Promise<Answer> {
  const url = new URL(request.path, "http://linstor");
  const there = routes.filter(({ path }) => path.test(url.pathname));
  const route = there.find(({ method }) => method === request.method);
  if (!route) {
    const message = there.length
      ? `Method '${request.method}' not allowed on path '${url.pathname}'.`
      : `Path '${url.pathname}' not found on server.`;
    return { status: there.length ? 405 : 404, body: [entry("error", nothing, 998, message)] };
  }
  const body = bodyOf(route, request.body);
  if ("ret_code" in body) return { status: 500, body: [body] };
  const params = (route.path.exec(url.pathname) ?? []).slice(1).map(decodeURIComponent);
  return route.run({ world, params, query: url.searchParams, body: body.value, connect });
}

/** Unknown fields are refused like what is no JSON; no body at all is an empty object where one would be. */
function bodyOf({ fields }: Route, text: string | undefined): { value: object } | Entry {
  const refused = (details: string) =>
    entry("error", { operation: "delete", object: "none" }, 32765, "Unable to parse input json.", { details });
  if (!fields || text === undefined) return { value: {} };
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
