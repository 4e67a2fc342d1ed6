import type { SystemRequest, SystemResponse } from "../../shared/system/transport.ts";
import { json } from "../system-server/json.ts";
import type { Cloud, Host, Instance, Move } from "./cloud.ts";

/** Whose token it is. */
export interface Account {
  readonly project: string;
  readonly isAdmin: boolean;
}

const newest = 93;
type Query = URLSearchParams;

/** Nova's API, at 2.1 to 2.93, as far as rules load on it and tests need it. */
export function answerCompute(cloud: Cloud, account: Account, request: SystemRequest): SystemResponse {
  const { method, path } = request;
  const [route = "/", text = ""] = path.split("?");
  const query = new URLSearchParams(text);
  const version = /^compute 2\.(\d+)$/.exec(request.headers["openstack-api-version"] ?? "")?.[1];
  if (Number(version ?? 1) > newest)
    return fault(406, `Version 2.${version} is not supported by the API. Minimum is 2.1 and maximum is 2.${newest}.`);
  if (route === "/")
    return json({ version: { id: "v2.1", status: "CURRENT", version: `2.${newest}`, min_version: "2.1" } });
  const [, what = "", id = "", rest = "", of = ""] = route.split("/").map(decodeURIComponent);
  const body = request.body ? (JSON.parse(request.body) as Record<string, never>) : {};
  if (what === "os-services" && !account.isAdmin)
    return forbidden(`os-services:${method === "GET" ? "list" : "update"}`);
  if (what === "os-services" && method === "GET") return services(cloud, query);
  if (what === "os-services" && method === "PUT") return updateService(cloud, id, body);
  if (what === "os-migrations") return account.isAdmin ? migrations(cloud, query) : forbidden("os-migrations:index");
  if (what !== "servers") return fault(404, "The resource could not be found.");
  if (method === "GET" && id === "detail") return servers(cloud, account, query);
  if (method === "POST" && !id) {
    const { name, host, imageRef } = body.server as unknown as { name: string; host?: string; imageRef?: string };
    if (host && !cloud.hosts.has(host)) return fault(400, `Compute host ${host} could not be found.`);
    return json({ server: { id: cloud.boot(name, host, account.project, imageRef).id } }, 202);
  }
  const instance = cloud.instances.get(id);
  if (!instance || (!account.isAdmin && instance.project !== account.project))
    return fault(404, `Instance ${id} could not be found.`);
  if (rest === "os-instance-actions") return actions(instance, of);
  if (rest === "action" && method === "POST") return act(cloud, account, instance, body, Number(version ?? 1));
  if (method === "DELETE") {
    cloud.delete(instance);
    return { status: 204, headers: {}, body: "" };
  }
  return json({ server: shown(instance, account) });
}

function act(
  cloud: Cloud,
  { isAdmin }: Account,
  instance: Instance,
  body: Record<string, never>,
  version: number,
): SystemResponse {
  const [action = "", argument] = Object.entries(body)[0] ?? [];
  const policy = {
    "os-migrateLive": "os-migrate-server:migrate_live",
    migrate: "os-migrate-server:migrate",
    evacuate: "os-evacuate",
  }[action];
  if (policy && !isAdmin) return forbidden(policy);
  // Up to 2.13 it is said whether the disk is on shared storage; after that it may not be said any more.
  if (action === "evacuate" && "onSharedStorage" in Object(argument) !== version < 14)
    return fault(400, "Invalid input for field/attribute evacuate: 'onSharedStorage'");
  const { status, message } = cloud.act(instance, action, argument);
  return message === undefined ? { status, headers: {}, body: "" } : fault(status, message);
}

function services(cloud: Cloud, query: Query): SystemResponse {
  const wrong = unexpected(query, ["binary", "host"]);
  if (wrong) return wrong;
  const computes = [...cloud.hosts.values()].map((host) => serviceOf(cloud, host));
  const state = cloud.schedulers.isUp ? "up" : "down";
  const scheduler = { ...computes[0], id: "scheduler", binary: "nova-scheduler", host: "control", state };
  const all = [...computes, { ...scheduler, status: "enabled", disabled_reason: null, forced_down: false }];
  const wanted = all.filter(
    ({ host, binary }) =>
      (!query.get("host") || query.get("host") === host) && (!query.get("binary") || query.get("binary") === binary),
  );
  return json({ services: wanted });
}

function unexpected(query: Query, known: readonly string[]): SystemResponse | undefined {
  const unknown = [...query.keys()].find((key) => !known.includes(key));
  const why = `Additional properties are not allowed ('${unknown}' was unexpected)`;
  return unknown === undefined ? undefined : fault(400, `Invalid input for query parameters: ${why}`);
}

function updateService(cloud: Cloud, id: string, body: Record<string, unknown>): SystemResponse {
  const host = [...cloud.hosts.values()].find((each) => each.id === id);
  if (!host) return fault(404, `Service ${id} could not be found.`);
  const { status, disabled_reason: reason = null } = body as { status?: string; disabled_reason?: string };
  const isDone = ({ source, type, status }: Move) => source === host.name && type === "evacuation" && status === "done";
  if (body.forced_down === false && cloud.moves.some(isDone))
    return fault(
      400,
      `Unable to force up host ${host.name} as \`done\` evacuation migration records remain associated with the ` +
        "host. Ensure the compute service has been restarted, allowing these records to move to `completed` before " +
        "retrying this request.",
    );
  if (status === "enabled" && reason !== null)
    return fault(400, "Specifying 'disabled_reason' with status 'enabled' is invalid.");
  if (status) {
    host.isEnabled = status === "enabled";
    // Without a reason the former one is gone, also that of another user.
    host.reason = reason;
  }
  if (body.forced_down !== undefined) host.isForcedDown = body.forced_down === true;
  host.changed = cloud.now();
  return json({ service: serviceOf(cloud, host) });
}

function serviceOf(cloud: Cloud, host: Host) {
  return {
    id: host.id,
    binary: "nova-compute",
    host: host.name,
    zone: "nova",
    status: host.isEnabled ? "enabled" : "disabled",
    disabled_reason: host.reason,
    state: cloud.isUp(host) ? "up" : "down",
    forced_down: host.isForcedDown,
    updated_at: naive(Math.max(cloud.reported(host), host.changed)),
  };
}

function servers(cloud: Cloud, account: Account, query: Query): SystemResponse {
  const isForAll = query.has("all_tenants");
  if (isForAll && !account.isAdmin) return forbidden("servers:detail:get_all_tenants");
  const host = query.get("host");
  const all = [...cloud.instances.values()].filter(
    // A user who is no administrator gets the own project's, on whichever host.
    (each) => (isForAll || each.project === account.project) && (!account.isAdmin || !host || each.host === host),
  );
  const { page, more } = paged(all, query, ({ id }) => id);
  return json({
    servers: page.map((each) => shown(each, account)),
    ...(more ? { servers_links: [{ rel: "next" }] } : {}),
  });
}

function shown(instance: Instance, { isAdmin }: Account) {
  const { id, name, status, task, fault, host, updated, project, image } = instance;
  return {
    id,
    name,
    status,
    tenant_id: project,
    image: image ? { id: image } : "",
    flavor: { original_name: "small", ephemeral: 0 },
    updated: `${new Date(updated).toISOString().slice(0, 19)}Z`,
    "OS-EXT-STS:task_state": task,
    ...(isAdmin ? { "OS-EXT-SRV-ATTR:host": host } : {}),
    ...(fault ? { fault: { code: 500, message: fault } } : {}),
  };
}

function migrations(cloud: Cloud, query: Query): SystemResponse {
  const known = ["host", "source_compute", "status", "instance_uuid", "migration_type", "limit", "marker"];
  const wrong = unexpected(query, known);
  if (wrong) return wrong;
  // Those of a server that is deleted are not listed any more.
  const all = cloud.moves.filter(
    ({ source, target, server, status }) =>
      cloud.instances.has(server) &&
      (!query.get("host") || [source, target].includes(query.get("host"))) &&
      (!query.get("source_compute") || query.get("source_compute") === source) &&
      (!query.get("status") || query.get("status") === status),
  );
  const { page, more } = paged(all, query, ({ uuid }) => uuid);
  return json({ migrations: page.map(moveShown), ...(more ? { migrations_links: [{ rel: "next" }] } : {}) });
}

function moveShown({ id, uuid, server, type, source, target, status, created, updated }: Move) {
  return {
    id,
    uuid,
    instance_uuid: server,
    migration_type: type,
    source_compute: source,
    dest_compute: target,
    status,
    created_at: naive(created),
    updated_at: naive(updated),
  };
}

function actions({ failures }: Instance, id: string): SystemResponse {
  const all = failures.map((details, at) => ({ id: `req-${at}`, details })).toReversed();
  if (!id)
    return json({ instanceActions: all.map(({ id }) => ({ action: "migrate", request_id: id, message: "Error" })) });
  const events = all
    .filter((each) => each.id === id)
    .map(({ details }) => ({ event: "conductor_migrate", result: "Error", details }));
  return json({ instanceAction: { action: "migrate", request_id: id, message: "Error", events } });
}

function paged<T>(all: readonly T[], query: Query, idOf: (each: T) => string): { page: readonly T[]; more: boolean } {
  const from = query.get("marker") ? all.findIndex((each) => idOf(each) === query.get("marker")) + 1 : 0;
  const limit = Number(query.get("limit") ?? 1000);
  return { page: all.slice(from, from + limit), more: all.length > from + limit };
}

/** Ironic's API, as far as rules load on it: how a host is powered. Its nodes have the names of the hosts. */
export function answerBaremetal(cloud: Cloud, { isAdmin }: Account, request: SystemRequest): SystemResponse {
  const [, , , name = "", , what] = request.path.split("/").map(decodeURIComponent);
  const host = cloud.hosts.get(name);
  const refuse = (status: number, faultstring: string) =>
    json({ error_message: JSON.stringify({ faultcode: "Client", faultstring, debuginfo: null }) }, status);
  if (!isAdmin) return refuse(403, "Access was denied to the following resource: baremetal:node:get");
  if (!host) return refuse(404, `Node ${name} could not be found.`);
  if (request.method === "GET")
    return json({ power_state: host.power, target_power_state: host.target, last_error: null });
  if (what !== "power") return refuse(404, "Not found");
  if (host.target) return refuse(409, `Node ${name} is locked by host conductor, please retry after it is released.`);
  const { target } = JSON.parse(request.body ?? "{}");
  if (target === "power off" && host.power !== "power off") cloud.powerOff(host);
  return { status: 202, headers: {}, body: "" };
}

/** As Nova writes times in most places: UTC, without saying so. */
const naive = (time: number) => new Date(time).toISOString().replace("Z", "000");
const forbidden = (rule: string) => fault(403, `Policy doesn't allow os_compute_api:${rule} to be performed.`);

/** Nova's way to refuse: one key for each kind of fault. */
function fault(code: number, message: string): SystemResponse {
  const kinds: Record<number, string> = {
    400: "badRequest",
    403: "forbidden",
    404: "itemNotFound",
    409: "conflictingRequest",
  };
  return json({ [kinds[code] ?? "computeFault"]: { code, message } }, code);
}
