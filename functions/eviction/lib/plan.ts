import { minute } from "../../../shared/duration.ts";
import type { EvictionRecord } from "./compute-node.ts";
import type { ComputeService, Migration, Server } from "./openstack/nova.ts";
import type { Common } from "./settings.ts";

/** What Nova has of a host, read in one look: servers and migrations before the service. */
export interface HostFacts {
  readonly service: ComputeService;
  readonly servers: readonly Server[];
  /** All migrations away from the host. */
  readonly migrations: readonly Migration[];
  /** Migrations towards the host that are not over. */
  readonly arrivals: readonly Migration[];
  /** Why the last move of a server failed, by server, as far as it was asked for. */
  readonly failures: Readonly<Record<string, string>>;
  /**
   * When it was looked, by OpenStack's clock, in milliseconds since the epoch. The plan goes by that clock alone: those
   * of two instances of a function may be minutes apart, and from it.
   */
  readonly at: number;
}

/** What is done about one server. The last three only where its host is proven down. */
export type Move = "live" | "cold" | "confirm" | "evacuate" | "set-error" | "stop";

/** A server that no move helps, and why, in a sentence that says what a person can do. */
export interface Stuck {
  readonly server: string;
  readonly message: string;
}

export interface Plan {
  /** As `yaookctl` reads them from the condition Evicted. */
  readonly counters: {
    readonly migrated: number;
    readonly migratable: number;
    readonly pending: number;
    readonly in_progress: number;
    readonly unhandleable: number;
    readonly unhandleable_agent: boolean;
  };
  /** What Nova is to be told next. */
  readonly next: { readonly do: Move; readonly server: string } | undefined;
  readonly stuck: readonly Stuck[];
  /** Where the eviction stands, in a sentence. */
  readonly message: string;
}

/** Migrations that are over. `finished` is not: it waits to be confirmed. */
const over = ["completed", "confirmed", "reverted", "done", "error", "failed", "cancelled"];
const failed = ["error", "failed", "cancelled"];
export const isOpen = ({ status }: Migration): boolean => !over.includes(status);
export const isEvacuation = ({ type }: Migration): boolean => type === "evacuation";
/** The new host has the server; `completed`: nova-compute of the old one has started since. */
export const isEvacuated = ({ status }: Migration): boolean => ["done", "completed"].includes(status);

/**
 * Migrations away from a host that are not over. One that a later evacuation has overtaken is: Nova says for ever that
 * it runs.
 */
export const openFrom = ({ migrations }: Pick<HostFacts, "migrations">): readonly Migration[] =>
  migrations.filter(
    (move) =>
      isOpen(move) &&
      !migrations.some((other) => other.server === move.server && other.id > move.id && evacuates(other)),
  );
const evacuates = (move: Migration) => isEvacuation(move) && isEvacuated(move);

/** After that a nova-compute that has not reported counts as gone for a cold move, which would hang in it. */
export const freshFor = minute / 2;
/** So long a call whose answer was lost may still be carried out. */
const lostFor = minute;
/** A server that has been in a passing state for longer is shown. */
export const passingFor = 30 * minute;
/** The pause before a move is tried again; it doubles with each attempt. */
const firstPause = minute / 2;

/** Failed moves of a server since the eviction began, or since a person asked to try again. */
export function failuresOf(
  server: string,
  migrations: readonly Migration[],
  record: EvictionRecord,
): readonly Migration[] {
  const after = Math.max(record.baseline, record.retried ?? 0);
  return migrations.filter((move) => move.server === server && move.id > after && failed.includes(move.status));
}

/** A server is left alone for a while after its move has failed. */
export const isResting = (failures: readonly Migration[], now: number): boolean =>
  failures.length > 0 &&
  now - Math.max(...failures.map(({ updated }) => updated)) < firstPause * 2 ** (failures.length - 1);

/**
 * Calls for a server of which nothing has come, because Nova has refused them or they were lost: no migration of a
 * move, and no end of one of a confirmation. Half an hour after the last one they are forgotten: those that were lost
 * in an outage need no person. `mayCome`: the last one may still be carried out.
 */
export function callsOf(
  server: string,
  migrations: readonly Migration[],
  { called }: EvictionRecord,
  now: number,
  lateFor = lostFor,
): { readonly inVain: number; readonly mayCome: boolean } {
  const last = called?.[server];
  if (!last || migrations.some((move) => move.server === server && move.id > last.after))
    return { inVain: 0, mayCome: false };
  const ago = now - Date.parse(last.at);
  const mayCome = ago < lateFor;
  if (ago > passingFor) return { inVain: 0, mayCome };
  return { inVain: (last.inVain ?? 0) + (mayCome ? 0 : 1), mayCome };
}

/** No server is on the host, and no move away from it or towards it is open. Seen once, it proves nothing. */
export const isEmpty = (host: HostFacts): boolean =>
  host.servers.length === 0 && host.arrivals.length === 0 && openFrom(host).length === 0;

const isOurs = ({ id, type }: Migration, { baseline }: EvictionRecord) =>
  id > baseline && ["live-migration", "migration"].includes(type);

/** Moves of an eviction that are not over. */
export const ourOpenMoves = (host: HostFacts, record: EvictionRecord): readonly Migration[] =>
  openFrom(host).filter((move) => isOurs(move, record));

/** What is to be done about the servers of a host, by Nova's own words alone. */
export function planFor(
  host: HostFacts,
  record: EvictionRecord,
  settings: Pick<Common, "evictionMoves" | "evictionAttempts">,
): Plan {
  const { service, servers, migrations, at: now } = host;
  const open = openFrom(host);
  const here = new Set(servers.map(({ id }) => id));
  const finished = open.filter(({ status }) => status === "finished");
  const others = finished.filter((move) => !isOurs(move, record));
  const confirmations = finished
    .filter((move) => isOurs(move, record))
    .map((move) => ({ move, ...callsOf(move.server, migrations, record, now) }));
  const refused = confirmations.filter(({ inVain }) => inVain >= settings.evictionAttempts);
  const given = [...others, ...refused.map(({ move }) => move)];
  const underWay = new Set(open.filter((move) => !given.includes(move)).map(({ server }) => server));

  const verdicts = servers
    .filter(({ id }) => !underWay.has(id))
    .map((server) => ({ server, ...verdictOn(server, host, record, settings.evictionAttempts) }));
  const stuck: Stuck[] = [
    ...verdicts.flatMap(({ server, is, message = "" }) => (is === "stuck" ? [{ server: server.id, message }] : [])),
    ...others.map(({ server, type }) => ({
      server,
      message: `Its ${type} from this host stands at VERIFY_RESIZE, and is not Holdfast's. Confirm or revert it.`,
    })),
    ...refused.map(({ move: { server, target }, inVain }) => ({
      server,
      message: `Its move to ${target} stands at VERIFY_RESIZE, and ${inVain} confirmations had no effect. Confirm it.`,
    })),
  ];
  const ready = verdicts.filter(({ is }) => is === "live" || is === "cold");
  const due = confirmations.find((one) => !one.mayCome && !refused.includes(one));
  const confirm = service.state === "up" ? due?.move : undefined;
  const moving = underWay.size + verdicts.filter(({ is }) => is === "moving").length;
  // A move whose confirmation has been asked for keeps no other from beginning.
  const asked = confirmations.filter((one) => (one.mayCome || one.inVain > 0) && !refused.includes(one)).length;
  const [first] = moving - asked < settings.evictionMoves ? ready : [];
  const moved = migrations.filter(
    ({ id, status, server }) =>
      id > record.baseline && ["completed", "confirmed"].includes(status) && !here.has(server),
  );
  const coming = new Set(host.arrivals.map(({ server }) => server).filter((server) => !here.has(server)));
  const counters = {
    migrated: new Set(moved.map(({ server }) => server)).size,
    migratable: ready.length,
    pending: verdicts.filter(({ is }) => is === "pending").length + coming.size,
    in_progress: moving,
    unhandleable: stuck.length,
    unhandleable_agent: service.state !== "up",
  };
  return {
    counters,
    next: confirm
      ? { do: "confirm", server: confirm.server }
      : first && { do: first.is as "live" | "cold", server: first.server.id },
    stuck,
    message: sentenceFor(counters, [...coming], stuck, service),
  };
}

/** Nothing moves any more, and a person must act. */
export const isStuck = ({ counters, stuck }: Plan): boolean =>
  stuck.length > 0 && counters.in_progress + counters.migratable + counters.pending === 0;

function sentenceFor(
  counters: Plan["counters"],
  coming: readonly string[],
  stuck: readonly Stuck[],
  { host, state }: ComputeService,
): string {
  const { in_progress: moving, migratable, pending } = counters;
  const left = moving + migratable + pending;
  const begin = `${left} servers of ${host} are still to leave, ${moving} of them are moving.`;
  const agent =
    state === "up"
      ? []
      : [`nova-compute of ${host} is ${state}: nothing can be moved before it reports to Nova again. Start it there.`];
  return [
    ...(left > 0 || stuck.length === 0 ? [begin] : []),
    ...arrivingOf(host, coming),
    ...agent,
    ...namedOf(stuck),
  ].join(" ");
}

/** Says of which servers moves to the host are not over. */
export const arrivingOf = (host: string, coming: readonly string[]): readonly string[] =>
  coming.length > 0 ? [`Moves to ${host} are not over yet, of servers ${coming.slice(0, 3).join(", ")}.`] : [];

/** Sentences about servers that need a person. */
export const namedOf = (stuck: readonly Stuck[]): readonly string[] => [
  ...stuck.slice(0, 3).map(({ server, message }) => `Server ${server}: ${message}`),
  ...(stuck.length > 3 ? [`${stuck.length - 3} more servers need a person.`] : []),
];

/** What is to be done about one server; `Acts` are the moves that may be its next. */
export interface Verdict<Acts> {
  readonly is: Acts | "moving" | "pending" | "stuck";
  readonly message?: string;
}

const pending = { is: "pending" } as const;
export const stuckFor = (message: string) => ({ is: "stuck", message }) as const;

/** By Nova's states: which move a server allows, or who has to do what. It has no open migration away from the host. */
function verdictOn(
  server: Server,
  host: HostFacts,
  record: EvictionRecord,
  attempts: number,
): Verdict<"live" | "cold"> {
  const { status, task, updated } = server;
  const { migrations, arrivals, service, at: now } = host;
  if (task?.includes("deleting")) return pending;
  if (status !== "VERIFY_RESIZE" && arrivals.some((move) => move.server === server.id)) return pending;
  const last = migrations.filter((move) => move.server === server.id).sort((a, b) => b.id - a.id)[0];
  if (status === "MIGRATING" && last?.status === "completed" && now - last.updated > minute)
    return stuckFor(
      `Nova calls its move to ${last.target} completed, and the server is MIGRATING here: nova-compute of ` +
        `${last.target} has stopped in the middle. Start it, and it finishes the move.`,
    );
  const isPassing = task !== undefined || passing.includes(status);
  // Nova shows it before there is a migration.
  if (isPassing && now - updated < passingFor) return inMotion.includes(status) ? { is: "moving" } : pending;
  if (isPassing)
    return stuckFor(`It has been ${status}${task ? ` (${task})` : ""} for more than half an hour. Look at it in Nova.`);
  const move = moves[status];
  if (!move) return stuckFor(advice[status] ?? `Holdfast does not know what to do with a server that is ${status}.`);
  const failures = failuresOf(server.id, migrations, record);
  const { inVain, mayCome } = callsOf(server.id, migrations, record, now);
  if (failures.length + inVain >= attempts) {
    const failed = `${failures.length} moves have failed, the last one because: `;
    const why = [
      ...(failures.length > 0 ? [`${failed}${host.failures[server.id] ?? "no reason given"}.`] : []),
      ...(inVain > 0 ? [`${inVain} times no move has come of the call: see the Event OpenStackRefused.`] : []),
    ];
    return stuckFor(
      `${why.join(" ")} Remove the cause, and set the annotation holdfast.dev/retry-eviction=true on the ` +
        "NovaComputeNode.",
    );
  }
  if (mayCome || isResting(failures, now) || service.state !== "up") return pending;
  // A cold move of a host that has just stopped hangs, and later leaves allocations behind that break the host.
  return move === "cold" && now - service.reported > freshFor ? pending : { is: move };
}

const inMotion = ["MIGRATING", "RESIZE"];
const passing = [...inMotion, "BUILD", "REVERT_RESIZE", "REBUILD", "REBOOT", "HARD_REBOOT", "PASSWORD"];
const moves: Readonly<Record<string, "live" | "cold">> = { ACTIVE: "live", PAUSED: "live", SHUTOFF: "cold" };
const advice: Readonly<Record<string, string>> = {
  ERROR: "It is in ERROR. Repair it, reset its state, or delete it.",
  SUSPENDED: "It is SUSPENDED, which Nova cannot move. Resume or shelve it.",
  RESCUE: "It is in RESCUE. Its owner has to unrescue it.",
  VERIFY_RESIZE: "It has been resized or moved to this host, and stands at VERIFY_RESIZE. Confirm or revert that.",
  SOFT_DELETED: "It is deleted, and can still be restored: its disk is here. Restore it, or delete it with --force.",
  SHELVED: "It is SHELVED, and still here. Offload it: openstack server shelve --offload.",
};
