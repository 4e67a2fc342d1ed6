import { minute } from "../../../shared/duration.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Call, EvictionRecord } from "./compute-node.ts";
import { lateFor as longest } from "./dependent.ts";
import { retrying } from "./names.ts";
import type { ComputeService, Migration, Server } from "./openstack/nova.ts";
import { type Counters, counted } from "./report.ts";
import type { Common } from "./settings.ts";

/** What Nova has of a host: servers, and all migrations away from it, read before the service. */
export interface HostFacts {
  readonly object: KubernetesObject;
  readonly service: ComputeService;
  readonly servers: readonly Server[];
  readonly migrations: readonly Migration[];
  /** Migrations towards the host that are not over. */
  readonly arrivals: readonly Migration[];
  /** Hosts that have got servers by cold moves which are not confirmed, and whose nova-compute does not report. */
  readonly silent: readonly string[];
  /** Why the last move of a server failed, by server, as far as it was asked for. */
  readonly failures: Readonly<Record<string, string | undefined>>;
  /** When it was looked, by OpenStack's clock alone: those of two instances of a function may be minutes apart. */
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
  readonly counters: Counters;
  readonly next: { readonly do: Move; readonly server: string } | undefined;
  readonly stuck: readonly Stuck[];
  /** How many servers Nova has done nothing about for half an hour. It is asked again, but a person should look. */
  readonly ignored: number;
  readonly message: string;
}

/** Migrations that are over. `finished` is not: it waits to be confirmed. */
const over = ["completed", "confirmed", "reverted", "done", "error", "failed", "cancelled"];
const failed = ["error", "failed", "cancelled"];
const hasFailed = ({ status }: Migration): boolean => failed.includes(status);
export const isOpen = ({ status }: Migration): boolean => !over.includes(status);
export const isEvacuation = ({ type }: Migration): boolean => type === "evacuation";
/** The new host has the server; `completed`: nova-compute of the old one has started since. */
export const isEvacuated = ({ status }: Migration): boolean => ["done", "completed"].includes(status);

/** Migrations that are not over. One that a later evacuation has overtaken is: Nova says for ever that it runs. */
export const openOf = (migrations: readonly Migration[]): readonly Migration[] =>
  migrations.filter((move) => isOpen(move) && !migrations.some((other) => overtakes(other, move)));
const overtakes = (other: Migration, { server, id }: Migration) =>
  other.server === server && other.id > id && isEvacuation(other) && isEvacuated(other);

/** After that a nova-compute that has not reported counts as gone for a cold move, which would hang in it. */
export const freshFor = minute / 2;
/** So long a call whose answer was lost may still be carried out. */
const lostFor = minute;
/** The longest pause before Nova is asked again what it has neither done nor refused. */
const longestRest = 4 * minute;
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
  return migrations.filter((move) => move.server === server && move.id > after && hasFailed(move));
}

/** A server is left alone for a while after its move has failed. */
export const isResting = (failures: readonly Migration[], now: number): boolean =>
  failures.length > 0 &&
  now - Math.max(...failures.map(({ updated }) => updated)) < firstPause * 2 ** (failures.length - 1);

const noCalls = { refused: 0, mayCome: false, isResting: false, since: undefined };

/**
 * Whether a later migration of the server shows that a call has no later effect. Of a call to evacuate, only an
 * evacuation shows this: a person may have asked for any other move. An evacuation that has not failed shows it, also
 * if a person asked for it: Holdfast sends no call while it is open, and when it is done Nova refuses a late call,
 * because the server's new host is up. A failed evacuation shows it only if Nova has answered the call: Nova creates
 * the migration first, so the call's own is among them. Without an answer, it may be a person's. A call that Nova has
 * refused has no effect at all. An earlier release has not noted which calls are to evacuate: of these is a `was`.
 */
const showsEffect = ({ evacuation, denied }: Call, move: Migration) =>
  evacuation === undefined || denied || (isEvacuation(move) && (evacuation === "answered" || !hasFailed(move)));

/**
 * Calls for a server of which nothing has come: no migration of a move, and no end of one of a confirmation. Half an
 * hour after the last one all are forgotten. Those that Nova has refused are counted; a lost one is repeated.
 * `mayCome`: the last one was not refused, and may still be carried out, which takes as long as `lateFor`. `isResting`:
 * it is too early for the next one, because pauses grow. `since`: when the first one was made that did nothing.
 */
export function callsOf(
  server: string,
  migrations: readonly Migration[],
  { called, was }: EvictionRecord,
  now: number,
  lateFor = lostFor,
) {
  const last = called?.[server];
  if (!last) return noCalls;
  const later = migrations.filter((move) => move.server === server && move.id > last.after);
  if (later.some((move) => showsEffect(was?.[server] ? { evacuation: "asked", ...last } : last, move))) return noCalls;
  const at = Date.parse(last.at);
  if (now - at > passingFor) return noCalls;
  const mayCome = !last.denied && now - at < lateFor;
  const since = last.since ?? (mayCome ? undefined : last.at);
  const pause = Math.max(last.denied ? lostFor : 0, at - Date.parse(since ?? last.at));
  const isResting = now - at < Math.min(longestRest, pause);
  return { refused: last.refused ?? 0, mayCome, isResting, since };
}

/** How many servers of the host Nova was asked to move, and may still begin to. */
export const mayStillMove = ({ servers, migrations, at }: HostFacts, record: EvictionRecord): number =>
  servers.filter(({ id }) => callsOf(id, migrations, record, at, longest).mayCome).length;

/** Servers that Nova was asked to move, and has neither moved nor refused to. They need no person at first. */
export function ignoredBy(
  { migrations, at: now }: HostFacts,
  servers: readonly string[],
  record: EvictionRecord,
  lateFor = lostFor,
): Pick<Plan, "ignored"> & { readonly sentences: readonly string[] } {
  const late = servers
    .map((server) => ({ server, ...callsOf(server, migrations, record, now, lateFor) }))
    .flatMap(({ server, since, refused }) => (since && refused === 0 ? [{ server, since }] : []))
    .toSorted((a, b) => Date.parse(a.since) - Date.parse(b.since));
  const names = [...late.slice(0, 3).map(({ server }) => server), ...(late[3] ? ["..."] : [])];
  const what = `Nova has done nothing about ${counted(late.length, "server")} (${names.join(", ")})`;
  const advice =
    "Look at nova-conductor, and at Nova's message queue. Holdfast asks Nova again every few minutes, except about a " +
    "server that Nova shows as MIGRATING or RESIZE.";
  return {
    ignored: late.filter(({ since }) => now - Date.parse(since) > passingFor).length,
    sentences: late[0] ? [`${what}. Holdfast has asked Nova since ${late[0].since}. ${advice}`] : [],
  };
}

/** No server is on the host, and no move away from it or towards it is open. Seen once, it proves nothing. */
export const isEmpty = (host: HostFacts): boolean =>
  host.servers.length === 0 && host.arrivals.length === 0 && openOf(host.migrations).length === 0;

/**
 * A move of the eviction. Of cold ones, whose confirmation takes away their owners' way back, only the first after each
 * call is. An earlier release wrote down none of these calls: of its evictions each cold move counts.
 */
function isOurs({ id, type, server }: Migration, record: EvictionRecord, { migrations }: HostFacts) {
  const cold = record.cold ?? (record.called === undefined ? {} : undefined);
  if (id <= record.baseline) return false;
  if (type !== "migration" || !cold) return ["live-migration", "migration"].includes(type);
  const isAfter = (other: Migration) =>
    other.server === server && other.type === type && other.id > (cold[server] ?? id);
  return id === Math.min(...migrations.filter(isAfter).map((other) => other.id));
}

/** The record's calls for cold moves without those whose move is over. */
export const coldIn = ({ migrations }: HostFacts, { cold = {} }: EvictionRecord) =>
  Object.entries(cold).filter(([server, after]) => {
    const isOver = (move: Migration) => move.type === "migration" && move.id > after && !isOpen(move);
    return !migrations.some((move) => move.server === server && isOver(move));
  });

/** Moves of an eviction that are not over. */
export const ourOpenMoves = (host: HostFacts, record: EvictionRecord): readonly Migration[] =>
  openOf(host.migrations).filter((move) => isOurs(move, record, host));

/** Why a cold move is not confirmed: the confirmation deletes the disk on its source. */
export const unsafeMove = ({ target }: Migration, { service }: HostFacts): string =>
  `The server's move to ${target} waits at VERIFY_RESIZE, and Holdfast confirms it when nova-compute of ${target} ` +
  `reports: if its disk there is lost, the one on ${service.host} is the last. Start ${target}.`;

/** What is to be done about the servers of a host, by Nova's own words alone. */
export function planFor(
  host: HostFacts,
  record: EvictionRecord,
  settings: Pick<Common, "evictionMoves" | "evictionAttempts">,
): Plan {
  const { service, servers, migrations, at: now } = host;
  const open = openOf(host.migrations);
  const here = new Set(servers.map(({ id }) => id));
  const finished = open.filter(({ status }) => status === "finished");
  const others = finished.filter((move) => !isOurs(move, record, host));
  const calls = (id: string) => callsOf(id, migrations, record, now);
  const ours = finished.filter((move) => isOurs(move, record, host));
  // A confirmation deletes the disk on this host, and that on the other one may be lost.
  const unsafe = ours.filter(({ target = "" }) => host.silent.includes(target));
  const safe = ours.filter((move) => !unsafe.includes(move));
  const refused = safe.filter(({ server }) => calls(server).refused >= settings.evictionAttempts);
  const confirmations = safe.filter((move) => !refused.includes(move));
  const lost = open.filter(
    (move) => move.status === "confirming" && isOurs(move, record, host) && now - move.updated > passingFor,
  );
  const given = [...others, ...refused, ...unsafe, ...lost];
  const arriving = host.arrivals.filter(({ server }) => !here.has(server));
  // One that is queued waits for others that move.
  const patience = ({ status }: Migration) => (status === "queued" ? 4 : 1) * passingFor;
  const overdue = arriving.filter((move) => now - move.updated > patience(move));
  const underWay = serversOf(open.filter((move) => !given.includes(move)));

  const verdicts = servers
    .filter(({ id }) => !underWay.has(id))
    .map((server) => ({ server: server.id, ...verdictOn(server, host, record, settings.evictionAttempts) }));
  const stuck: Stuck[] = [
    ...stuckOf(verdicts),
    ...others.map(({ server, type }) => ({
      server,
      message:
        `The server's ${type} from this host waits at VERIFY_RESIZE, and Holdfast has no note that it began this. ` +
        confirmOrRevert(server),
    })),
    ...refused.map(({ server, target }) => ({
      server,
      message:
        `The server's move to ${target} waits at VERIFY_RESIZE, and Nova has refused to confirm it ` +
        `${counted(calls(server).refused, "time")}: see the Event OpenStackRefused. Remove the cause, and run ` +
        `\`openstack server resize confirm ${server}\`.`,
    })),
    ...unsafe.map((move) => ({ server: move.server, message: unsafeMove(move, host) })),
    ...lost.map(({ server, target }) => ({
      server,
      message:
        `Nova has been confirming its move to ${target} for half an hour, and takes no second confirmation. ` +
        `Look at nova-compute of ${service.host}, and run \`openstack server event list ${server}\`.`,
    })),
    ...overdue.map((move) => ({ server: move.server, message: overdueMove(move, service.host) })),
  ];
  const ready = readyOf(verdicts, record);
  const waiting = verdicts.filter(({ is }) => is !== "stuck");
  const called = [...waiting, ...confirmations].map(({ server }) => server);
  const { ignored, sentences } = ignoredBy(host, service.state === "up" ? called : [], record);
  const due = confirmations.find(({ server }) => !calls(server).mayCome && !calls(server).isResting);
  const confirm = service.state === "up" ? due : undefined;
  const moving = new Set([...underWay, ...serversOf(verdicts.filter(({ is }) => is === "moving"))]);
  // A move whose confirmation has been asked for keeps no other from beginning.
  const asked = confirmations.filter(({ server }) => calls(server).mayCome || calls(server).since).length;
  // One whose answer was lost may have begun.
  const mayMove = servers.map(({ id }) => id).filter((id) => calls(id).mayCome);
  const [first] = new Set([...moving, ...mayMove]).size - asked < settings.evictionMoves ? ready : [];
  const isMoved = ({ id, status, server }: Migration) =>
    id > record.baseline && ["completed", "confirmed"].includes(status) && !here.has(server);
  const coming = serversOf(arriving.filter((move) => !overdue.includes(move)));
  const counters = {
    migrated: serversOf(migrations.filter(isMoved)).size,
    migratable: ready.length,
    pending: verdicts.filter(({ is }) => is === "pending").length + coming.size,
    in_progress: moving.size,
    unhandleable: stuck.length,
    unhandleable_agent: service.state !== "up",
  };
  const { host: name, state } = service;
  const begin = `${counted(leftOf(counters), "server")} still to leave ${name}, ${moving.size} moving now.`;
  const wait = `nova-compute of ${name} is ${state}: Holdfast can move no server before it reports to Nova again.`;
  const agent = state === "up" ? [] : [`${wait} Start nova-compute on ${name}.`];
  return {
    counters,
    next: confirm ? { do: "confirm", server: confirm.server } : first && { do: first.is, server: first.server },
    stuck,
    ignored,
    message: [messageFor({ counters, stuck }, begin, name, [...coming], agent), ...sentences].join(" "),
  };
}

export const serversOf = (of: readonly { readonly server: string }[]) => new Set(of.map(({ server }) => server));

/** Nothing moves any more, and a person must act. */
export const isStuck = ({ counters, stuck, ignored }: Plan): boolean =>
  stuck.length + ignored > 0 && counters.in_progress + counters.migratable + counters.pending === ignored;

/** A second evacuation damages a server, and so does one of a server that runs on its new host already. */
function overdueMove(move: Migration, host: string): string {
  const first = `Nova has not changed the ${move.type} from ${move.source} to ${host} for more than half an hour. `;
  if (isEvacuation(move))
    return `${first}A second evacuation damages the server: do not ask for one. Look at nova-compute of ${host}.`;
  return (
    `${first}The server may already run on ${host}: look there first. Only if it does not run there, and ` +
    `${move.source} is off for good, run \`openstack --os-compute-api-version 2.53 server evacuate ${move.server}\`.`
  );
}

/** How many servers are still to leave. */
export const leftOf = ({ in_progress: moving, migratable, pending }: Plan["counters"]) => moving + migratable + pending;

/** Where an eviction stands; `begin`: the first sentence, if any is to leave; `coming`: moves to the host. */
export function messageFor(
  { counters, stuck }: Pick<Plan, "counters" | "stuck">,
  begin: string,
  host: string,
  coming: readonly string[],
  more: readonly string[] = [],
): string {
  return [
    ...(leftOf(counters) > 0 || stuck.length === 0 ? [begin] : []),
    ...(coming.length > 0 ? [`Servers that are still being moved to ${host}: ${coming.slice(0, 3).join(", ")}.`] : []),
    ...more,
    ...stuck.slice(0, 3).map(({ server, message }) => `Server ${server}: ${message}`),
    ...(stuck.length > 3 ? [`Not shown here: ${counted(stuck.length - 3, "server")}.`] : []),
  ].join(" ");
}

/** What is to be done about a server; `Acts` are the moves that may be its next. */
export interface Verdict<Acts> {
  readonly is: Acts | "moving" | "pending" | "stuck";
  readonly message?: string;
}

interface Judged<Acts> extends Verdict<Acts> {
  readonly server: string;
}

/** Those that may be moved next, in an order in which none keeps the others from their turn. */
export function readyOf<Acts extends Move>(verdicts: readonly Judged<Acts>[], { called }: EvictionRecord) {
  const last = ({ server }: Judged<Acts>) => Date.parse(called?.[server]?.at ?? "") || 0;
  return verdicts
    .flatMap((one) => (["moving", "pending", "stuck"].includes(one.is) ? [] : [{ ...one, is: one.is as Acts }]))
    .toSorted((a, b) => last(a) - last(b));
}

export const stuckOf = (verdicts: readonly Judged<unknown>[]): readonly Stuck[] =>
  verdicts.flatMap(({ server, is, message = "" }) => (is === "stuck" ? [{ server, message }] : []));

const pending = { is: "pending" } as const;
export const stuckFor = (message: string) => ({ is: "stuck", message }) as const;

export const isBeingDeleted = ({ task }: Server): boolean => task?.includes("deleting") ?? false;

/** What is to be done about a server that is being deleted, and what a person can do where that does not end. */
export const deletionOf = ({ task, updated }: Server, now: number, cure: string): Verdict<never> =>
  now - updated < passingFor ? pending : stuckFor(`The server has been ${task} for more than half an hour. ${cure}`);

/** By Nova's states: which move a server allows, or who has to do what. It has no open migration away from the host. */
function verdictOn(
  server: Server,
  host: HostFacts,
  record: EvictionRecord,
  attempts: number,
): Verdict<"live" | "cold"> {
  const { id, status, task, updated } = server;
  const { migrations, arrivals, service, at: now } = host;
  // The call for it is lost when nova-compute dies. Nova ignores a second one while nova-compute is up; and while it is
  // down, Nova would detach volumes that a host which is cut off still writes to.
  if (isBeingDeleted(server))
    return deletionOf(
      server,
      now,
      `Start nova-compute of ${service.host} again: when it starts, it completes deletions. If the server is still ` +
        `there after that, run \`openstack server set --state active ${id}\`, and \`openstack server delete ${id}\`.`,
    );
  if (status !== "VERIFY_RESIZE" && arrivals.some((move) => move.server === server.id)) return pending;
  const last = migrations.filter((move) => move.server === server.id).sort((a, b) => b.id - a.id)[0];
  if (status === "MIGRATING" && last?.status === "completed" && now - last.updated > minute)
    return stuckFor(
      `Nova shows its move to ${last.target} as completed, but the server is still MIGRATING here: nova-compute of ` +
        `${last.target} has stopped in the middle. Start nova-compute of ${last.target}: it then finishes the move.`,
    );
  const isPassing = task !== undefined || passing.includes(status);
  // Nova shows it before there is a migration.
  if (isPassing && now - updated < passingFor) return inMotion.includes(status) ? { is: "moving" } : pending;
  if (isPassing)
    return stuckFor(
      `The server has been ${status}${task ? ` (${task})` : ""} for more than half an hour. Look at it in Nova: ` +
        `\`openstack server event list ${id}\`.`,
    );
  const move = moves[status];
  const unknown = `Holdfast cannot move a server that is ${status}. Make it ACTIVE, PAUSED or SHUTOFF, or delete it.`;
  if (!move) return stuckFor((advice[status] ?? unknown).replaceAll("<id>", id));
  const failures = failuresOf(id, migrations, record);
  const calls = callsOf(id, migrations, record, now);
  const { refused } = calls;
  if (failures.length + refused >= attempts) {
    const reason = host.failures[id];
    const failed = `Nova has failed to move it ${counted(failures.length, "time")}`;
    const why = [
      ...(failures.length > 0 ? [`${failed}${reason ? ` (the last reason was: ${reason})` : ""}.`] : []),
      ...(refused > 0 ? [`Nova has refused a move ${counted(refused, "time")}: see the Event OpenStackRefused.`] : []),
    ];
    return stuckFor(`${why.join(" ")} Remove the cause, and run ${retrying(host.object)} to try again.`);
  }
  if (calls.mayCome || calls.isResting || isResting(failures, now) || service.state !== "up") return pending;
  // A cold move of a host that has just stopped hangs, and later leaves allocations behind that break the host.
  return move === "cold" && now - service.reported > freshFor ? pending : { is: move };
}

const inMotion = ["MIGRATING", "RESIZE"];
/** A server is being moved, or its move is not confirmed. */
export const notSettled: readonly string[] = [...inMotion, "VERIFY_RESIZE"];
const passing = [...inMotion, "BUILD", "REVERT_RESIZE", "REBUILD", "REBOOT", "HARD_REBOOT", "PASSWORD"];
const moves: Readonly<Record<string, "live" | "cold">> = { ACTIVE: "live", PAUSED: "live", SHUTOFF: "cold" };
const confirmOrRevert = (id: string) =>
  `Its owner has to run \`openstack server resize confirm ${id}\`, or \`openstack server resize revert ${id}\`.`;
const advice: Readonly<Record<string, string>> = {
  ERROR: "It is in ERROR. Repair it and run `openstack server set --state active <id>`, or delete it.",
  SUSPENDED: "It is SUSPENDED, and cannot be moved: `openstack server resume <id>` or `openstack server shelve <id>`.",
  RESCUE: "It is in RESCUE. Its owner has to run `openstack server unrescue <id>`.",
  VERIFY_RESIZE: `It was resized or moved to this host, and waits at VERIFY_RESIZE. ${confirmOrRevert("<id>")}`,
  SOFT_DELETED:
    "It is deleted, but its disk is here: `openstack server restore <id>`, or `openstack server delete --force <id>`.",
  SHELVED: "It is SHELVED, and still here. Offload it: `openstack server shelve --offload <id>`.",
};
