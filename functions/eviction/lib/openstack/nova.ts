import { z } from "zod";
import type { SystemRequest } from "../../../../shared/system/transport.ts";
import { allPages, bodyOf, failed, unlessRefused } from "./answer.ts";
import type { Send, Session } from "./session.ts";

/** Beyond it answers may mean something else; it is the newest that this client was held against. */
const newest = 93;
/** With it services have uuids, and a service of one host can be changed by it. */
const oldest = 53;
const perPage = 500;

/** By Nova's clock, in milliseconds since the epoch. */
const time = z
  .string()
  .nullish()
  .transform((text) => Date.parse(text && !/(Z|[+-]\d\d:\d\d)$/.test(text) ? `${text}Z` : (text ?? "")));
const orNothing = z
  .string()
  .nullish()
  .transform((text) => text ?? undefined);
const versionAnswer = z.object({ version: z.object({ version: z.string() }) });
const serviceShape = z
  .object({
    // Absent where the cell does not answer, and the status is UNKNOWN.
    id: z.union([z.string(), z.number()]).transform(String).default(""),
    binary: z.string(),
    host: z.string(),
    status: z.string(),
    state: z.string().optional(),
    forced_down: z.boolean().default(false),
    disabled_reason: orNothing,
    updated_at: time,
  })
  .transform(({ id, binary, host, status, state, forced_down: isForcedDown, updated_at: reported, ...said }) => ({
    ...{ id, binary, host, isEnabled: status === "enabled", disabledReason: said.disabled_reason },
    ...{ isForcedDown, reported, state: state === "up" || state === "down" ? state : ("unknown" as const) },
  }));
/**
 * The nova-compute of a host, as Nova has it; or another of Nova's services, by its `binary`. The state `up` says only
 * that it has reported lately; `unknown`: its cell does not answer. `isForcedDown`: a person or a tool has said that it
 * is down, and Nova takes it for down even while it reports. `reported`: when it reported last, or was changed.
 */
export type ComputeService = Readonly<z.output<typeof serviceShape>>;
export const isCompute = ({ binary }: ComputeService): boolean => binary === "nova-compute";
const servicesAnswer = z.object({ services: z.array(serviceShape) });
const serverShape = z.object({
  id: z.string(),
  status: z.string(),
  "OS-EXT-STS:task_state": orNothing,
  "OS-EXT-SRV-ATTR:host": z.string().nullable().optional(),
  fault: z.object({ message: z.string() }).optional(),
  image: z.union([z.string(), z.looseObject({})]).nullish(),
  flavor: z.looseObject({ ephemeral: z.number().optional() }).optional(),
  updated: time,
});
const link = z.array(z.looseObject({})).optional();
const serversAnswer = z
  .object({ servers: z.array(serverShape), servers_links: link })
  .transform(({ servers: found, servers_links: more }) => ({ found, more }));
const migrationShape = z
  .object({
    id: z.number(),
    uuid: z.string().optional(),
    instance_uuid: z.string(),
    source_compute: orNothing,
    dest_compute: orNothing,
    migration_type: z.string().nullish(),
    status: z.string(),
    updated_at: time,
  })
  .transform(({ id, uuid, instance_uuid: server, migration_type: type, status, updated_at: updated, ...hosts }) => ({
    ...{ id, uuid, server, type: type ?? "", status, updated },
    ...{ source: hosts.source_compute, target: hosts.dest_compute },
  }));
const migrationsAnswer = z
  .object({ migrations: z.array(migrationShape), migrations_links: link })
  .transform(({ migrations: found, migrations_links: more }) => ({ found, more }));
/** A move of a server, over or under way. Its id rises with each one of a host; early on the target is not known. */
export type Migration = Readonly<Omit<z.output<typeof migrationShape>, "uuid">>;
const actionsAnswer = z.object({
  instanceActions: z.array(z.object({ action: z.string(), request_id: z.string(), message: orNothing })),
});
const actionAnswer = z.object({
  instanceAction: z.object({ events: z.array(z.object({ result: orNothing, details: orNothing })).optional() }),
});

export type Nova = ReturnType<typeof novaClient>;

/**
 * What is asked of Nova. Commands prove nothing: their 202 says that a request was taken, read afterwards. All throw
 * SystemError, and its OpenStackRefusal where Nova has understood and refuses.
 */
export function novaClient(send: Send, now: Session["now"]) {
  let negotiated: Promise<number> | undefined;

  /** The microversion of all requests: 2.93, or the newest of an older cloud. */
  function version(): Promise<number> {
    negotiated ??= negotiate().catch((error) => {
      negotiated = undefined;
      throw error;
    });
    return negotiated;
  }

  async function negotiate(): Promise<number> {
    const answer = await send("compute", rooted, { method: "GET", path: "/" });
    const { version } = bodyOf(answer, "GET / of compute", versionAnswer).version;
    const minor = Number(/^2\.(\d+)$/.exec(version)?.[1] ?? 0);
    if (minor < oldest)
      throw failed(
        "refused",
        `Nova here knows API versions up to 2.${minor}. Holdfast needs 2.${oldest} (OpenStack Pike) or newer.`,
      );
    return Math.min(minor, newest);
  }

  async function ask(method: SystemRequest["method"], path: string, body?: object, minor?: number) {
    const headers = { "openstack-api-version": `compute 2.${minor ?? (await version())}` };
    return send("compute", rooted, { method, path, headers, ...(body ? { body } : {}) });
  }

  async function get<T>(path: string, shape: z.ZodType<T>): Promise<T> {
    return bodyOf(await ask("GET", path), `GET ${path.split("?")[0]}`, shape);
  }

  const act = async (server: string, action: object, minor?: number) =>
    void (await ask("POST", `/servers/${idOf(server)}/action`, action, minor));
  const update = async (service: string, change: object) =>
    void (await ask("PUT", `/os-services/${idOf(service)}`, change));
  const forced = (service: string, isDown: boolean, reason: string | undefined) =>
    update(service, { forced_down: isDown, ...(reason && { status: "disabled", disabled_reason: reason }) });

  return {
    now,

    /** `undefined`: no cell that answers knows one on that host. */
    async service(host: string): Promise<ComputeService | undefined> {
      const query = new URLSearchParams({ binary: "nova-compute", host });
      const { services } = await get(`/os-services?${query}`, servicesAnswer);
      const found = services.find((service) => service.host === host);
      if (found && (found.id === "" || found.state === "unknown")) throw away(host);
      return found;
    },

    /** The reason is the only place to say whose doing it is; a client that disables again without one erases it. */
    disable: (service: string, reason: string) => update(service, { status: "disabled", disabled_reason: reason }),
    enable: (service: string) => update(service, { status: "enabled" }),
    /** Servers can be evacuated from then on. With a reason it is disabled for it at the same time. */
    forceDown: (service: string, reason?: string) => forced(service, true, reason),
    /** Refused with 400 while evacuations from the host are `done`, and its nova-compute has not started since. */
    endForcedDown: (service: string, reason?: string) => forced(service, false, reason),
    /** Whether Nova names the services of a cell that is away: with an older API it leaves them out. */
    namesLostCells: async (): Promise<boolean> => (await version()) >= 69,
    /** Nova's services of all hosts and all binaries. */
    services: async (): Promise<readonly ComputeService[]> => (await get("/os-services", servicesAnswer)).services,

    /** Every project's servers on a host. Empty proves nothing where its cell is away: read its service, too. */
    async servers(host: string): Promise<readonly Server[]> {
      // Those that are deleted and can be restored are still on the host.
      const query = { all_tenants: "1", soft_deleted: "1", host, limit: String(perPage) };
      const found = await allPages(get, "/servers/detail", query, serversAnswer, ({ id }) => id);
      return found.map(checkedServer).filter((server) => server.host === host);
    },

    /** `undefined` when Nova says that there is no such server. */
    async server(id: string): Promise<Server | undefined> {
      const found = await unlessRefused(get(`/servers/${idOf(id)}`, z.object({ server: serverShape })), 404);
      return found && checkedServer(found.server);
    },

    /** All migrations away from a host and towards it that Nova keeps, of servers that still exist. */
    async migrations(host: string): Promise<readonly Migration[]> {
      // Pages, and the markers that they need, came with 2.59; before, all are answered at once.
      const query = { host, ...((await version()) >= 59 ? { limit: String(perPage) } : {}) };
      const found = await allPages(get, "/os-migrations", query, migrationsAnswer, ({ uuid }) => uuid);
      return found.filter(({ source, target }) => source === host || target === host);
    },

    /** Moves an ACTIVE or PAUSED server while it runs. Refused with 409 while it is being moved. */
    liveMigrate: (server: string) => act(server, { "os-migrateLive": { host: null, block_migration: "auto" } }),
    /** Moves a server that is off; ends in VERIFY_RESIZE. Refused with 409 while it is being moved. */
    coldMigrate: (server: string) => act(server, { migrate: null }),
    /** Ends a cold move that stands at VERIFY_RESIZE; the host that it came from must be up. */
    confirmMove: (server: string) => act(server, { confirmResize: null }),
    /**
     * Starts a server again on another host. It is not idempotent: a second one ruins the server, and Nova takes it.
     * With `isShared` the new host refuses, without a change to any disk, where it does not see the disk; the server is
     * in ERROR then. After 2.13 Nova no longer lets the caller say so, and makes such a disk of the image again.
     */
    evacuate: (server: string, isShared: boolean) =>
      isShared ? act(server, { evacuate: { onSharedStorage: true } }, 13) : act(server, { evacuate: {} }),
    /** Says that a server is in ERROR, and changes nothing else. */
    setError: (server: string) => act(server, { "os-resetState": { state: "error" } }),
    stop: (server: string) => act(server, { "os-stop": null }),

    /** Why the last action on a server that failed did, in Nova's words. */
    async lastFailure(server: string): Promise<string | undefined> {
      const { instanceActions } = await get(`/servers/${idOf(server)}/os-instance-actions`, actionsAnswer);
      const failed = instanceActions.find(({ message }) => message === "Error");
      if (!failed) return undefined;
      const path = `/servers/${idOf(server)}/os-instance-actions/${idOf(failed.request_id)}`;
      const { events = [] } = (await get(path, actionAnswer)).instanceAction;
      return events.find(({ result }) => result === "Error")?.details;
    },
  };
}

const idOf = encodeURIComponent;
const away = (what: string) => failed("unreachable", `The Nova cell of ${what} does not answer. Look at its database.`);

/** The root of version 2.1: catalogs name it, or Nova's own root, or the older one with a project behind it. */
function rooted(url: string): string {
  const root = url.replace(/\/+$/, "");
  return /\/v2(\.\d)?(\/|$)/.test(root) ? root.replace(/\/v2(\.\d)?(\/.*)?$/, "/v2.1") : `${root}/v2.1`;
}

/** Nova ignores the filter by host, and leaves the host out, for a user who is no administrator. */
function checkedServer({ id, status, updated, fault, ...rest }: z.output<typeof serverShape>) {
  const host = rest["OS-EXT-SRV-ATTR:host"];
  if (status === "UNKNOWN") throw away(`server ${id}`);
  if (host === undefined)
    throw failed(
      "unauthorized",
      "OpenStack does not say on which hosts servers are: the account is no administrator. Give it the role admin.",
    );
  const task = rest["OS-EXT-STS:task_state"];
  // A disk of it, the root disk or another, lies with its host, and is no volume; also where Nova does not say.
  const hasLocalDisk = rest.image !== "" || rest.flavor?.ephemeral !== 0;
  return { id, status, updated, task, host: host ?? undefined, fault: fault?.message, hasLocalDisk };
}

/** A server; its status is as the API shows it, for example `ACTIVE`. `updated`: when it changed last. */
export type Server = Readonly<ReturnType<typeof checkedServer>>;
