import { createHash } from "node:crypto";
import type { Clock } from "../../../shared/clock.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { ConfigMap } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Log } from "../../../shared/log.ts";
import { longest, often } from "../lib/kept-event.ts";
import { type Owed, readStatus, type SweepStatus } from "../lib/sweep-status.ts";
import { adviceOn, type Channels, lookAtChannels, rebuild } from "./channels.ts";
import type { Post } from "./deliver.ts";
import { nap } from "./nap.ts";
import { pass } from "./pass.ts";
import { report } from "./report.ts";
import { comeBack, readKeptEvents, resend } from "./resend.ts";
import { type Row, readTable, type Table, tableLabel } from "./table.ts";
import { listsOf, type Tick, tablesList } from "./tick.ts";
import { comparedWays, type KnownWays, lookAtWays, standIn, standInWay, type Way } from "./ways.ts";

/** What a sweep stands on. */
export interface SweepTools {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly post: Post;
  /** A fresh event id. */
  readonly id: () => string;
  /** What ticks say where there is no Knative: since when no change has gone by unseen (RFC 3339). */
  readonly unbrokenSince?: readonly string[];
}

export interface SweepSettings {
  readonly namespace: string;
  readonly table: string;
  /** The hosts that rows may send events to. */
  readonly sinkHosts: readonly string[];
  /** Events per second at most. */
  readonly rate: number;
  /** Milliseconds that one tick may take, naps included; less than the schedule's period. */
  readonly tick: number;
  /** The ConfigMap of events that functions did not take. */
  readonly deadLetters: string;
  /** What becomes of channels that deliver to subscribers that are gone. */
  readonly staleChannels: "report" | "mend";
}

/** For sources and brokers that come and go everything is resynced so often in an hour, at most. */
const mostWaysBack = 4;

/**
 * One tick: sends an event for every object of the table's kinds that needs a look, then naps while something falls due
 * within the tick. Where the tick's time ends, the place is written down and the next tick goes on there. A row that
 * cannot be used, a kind that cannot be listed and a broker that takes nothing are reported, and the others still
 * served. Two sweeps at once send some events twice, which the rules bear.
 *
 * @throws ApiError when the table cannot be read.
 */
export async function sweep(tools: SweepTools, settings: SweepSettings): Promise<string> {
  const { client, clock } = tools;
  const began = clock.now();
  const configMap = await client.get<KubernetesObject & { data?: Record<string, string> }>(
    ConfigMap,
    settings.namespace,
    settings.table,
  );
  if (!configMap)
    return `There is no ConfigMap ${settings.namespace}/${settings.table}; install it from knative/platform.`;

  const before = readStatus(configMap);
  const unread = new Map<string, string>();
  const { rows, faults } = await readTables(client, configMap, settings, unread);
  const swept = rows.filter(({ listed = true }) => listed);
  const tick: Tick = {
    ...tools,
    end: began + settings.tick,
    pace: 1000 / settings.rate,
    rows,
    lists: listsOf(swept),
    refusals: new Map(),
    owed: new Set(Object.keys(before?.owed ?? {})),
    unread,
    sent: new Set(),
  };
  // Tables and channels that could not be listed are not gone.
  const table = unread.has(tablesList) ? before?.table : fingerprintOf(swept);
  const [seen, found] = await Promise.all([
    readChannels(client, settings.namespace, unread),
    readWays(tools, settings.namespace, before?.ways, began, unread),
  ]);
  const channels = seen?.fingerprint ?? before?.channels;
  const earlier = before?.waysBack?.filter((time) => Date.parse(time) > began - often) ?? [];
  const ways = found && comparedWays(before?.ways, found, earlier.length < mostWaysBack);
  // A first tick, one whose status was lost, and one with rows of a system that has just come resyncs everything. So
  // does one before which events may have reached no function.
  const kept = await readKeptEvents(client, settings, unread);
  const lately = Object.entries(before?.madeUp ?? {}).filter(([, time]) => Date.parse(time) > began - longest);
  const back = kept ? comeBack(kept, before?.resent ?? [], Object.fromEntries(lately), began) : [];
  const lost = before && whatLostEvents(before, began, channels, ways?.back ?? [], back, settings.tick);
  const asBefore = before && !lost && (before.table ?? table) === table ? before : undefined;
  const after = asBefore ? Date.parse(asBefore.at) : 0;
  const until = asBefore?.cursor && asBefore.until ? Date.parse(asBefore.until) : began;
  // What falls due while a resync goes on comes before its rest; while what is urgent goes on, it waits its turn.
  const due = asBefore?.cursor?.phase === "urgent" ? until : began;
  const cursor = await pass(tick, { after, until, due }, asBefore?.cursor);
  const resent = await resend(tick, kept, before?.resent ?? []);
  const isResent = resent.some((id) => !before?.resent?.includes(id));
  const resentAt = isResent ? new Date(clock.now()).toISOString() : before?.resentAt;
  if (!cursor) await nap(tick, due);

  // Last, because events that are on their way through a channel are lost with it.
  const staleSubscribers = await sayOf(seen?.unsound ?? [], tick, settings);
  const progress = cursor ? { at: after, cursor, until } : { at: until };
  const { refusals } = tick;
  const wrong = { faults, refusals, unread, staleSubscribers };
  const owed = owedAfter(tick, before?.owed ?? {}, cursor ? 0 : until);
  const pauses = before?.began ? [began - Date.parse(before.began), ...(before.pauses ?? [])].slice(0, 2) : [];
  const madeUp = Object.fromEntries([...lately, ...back.map((name) => [name, new Date(began).toISOString()])]);
  const result = {
    ...progress,
    began,
    pauses,
    table,
    channels,
    ways: ways?.known ?? before?.ways,
    waysBack: ways && ways.back.length > 0 ? [...earlier, new Date(began).toISOString()] : earlier,
    lost,
    owed,
    resent,
    resentAt,
    madeUp,
    rows: swept.length,
    ...wrong,
  };
  return report(configMap, result, tools);
}

/**
 * Why events of sources may have reached no function since the tick before, in a sentence. Other channels, or other
 * subscribers in them, do so. So do sources and brokers that were away (`waysBack`), and functions that failed for more
 * objects than `dead-letter` keeps (`back`). What kept the sweep from a tick, or from writing it down, does so, too: an
 * API server that is away, say. No queue keeps events for longer than the broker's retries.
 */
function whatLostEvents(
  before: SweepStatus,
  began: number,
  channels: string | undefined,
  waysBack: readonly string[],
  back: readonly string[],
  length: number,
): string | undefined {
  if ((before.channels ?? channels) !== channels)
    return "The brokers' channels are not those of the tick before: every object gets an event.";
  if (waysBack.length > 0) {
    // It has no conditions: it reports itself since when it has missed no change.
    if (waysBack.includes(standIn)) return `${standIn} may have missed changes: every object gets an event.`;
    const names = waysBack.join(" and ");
    return `Changes may have reached no function until ${names} became Ready: every object gets an event.`;
  }
  if (back.length > 0) return `${back.join(" and ")} failed for more events than are kept: every object gets an event.`;
  const last = Date.parse(before.began ?? "");
  const gap = began - last;
  // The sweep does not know its schedule, only the length of a tick, which is shorter, and the pauses before. Of two
  // the shorter one counts: the other may be of an outage.
  if (!before.pauses?.length || !(gap > Math.max(2 * length, 1.5 * Math.min(...before.pauses)))) return undefined;
  return `The sweep has written down no tick since ${new Date(last).toISOString()}: every object gets an event.`;
}

/**
 * Brokers and lists that failed, with when. One is resynced by the next tick, because events of sources were lost with
 * it, and forgotten by the pass that began after it failed (`began`).
 */
function owedAfter({ refusals, unread, clock }: Tick, before: Owed, began: number): Owed {
  const now = new Date(clock.now()).toISOString();
  const still = Object.entries(before).filter(([, failed]) => Date.parse(failed) >= began);
  return Object.fromEntries([...still, ...[...refusals.keys(), ...unread.keys()].map((failed) => [failed, now])]);
}

/** Says of a table which rules look after which kinds. */
function fingerprintOf(rows: readonly Row[]): string {
  const text = rows.map(({ rule, apiVersion, kind }) => `${rule} ${apiVersion} ${kind}`).sort();
  return createHash("sha256").update(text.join("\n")).digest("hex").slice(0, 12);
}

type TableMap = KubernetesObject & { readonly data?: Readonly<Record<string, string>> };

/** The rows of the table, and of those that optional systems have brought along. */
async function readTables(
  client: Client,
  configMap: TableMap,
  { namespace, sinkHosts }: SweepSettings,
  unread: Map<string, string>,
): Promise<Table> {
  const tables = [readTable(configMap.data?.["table.yaml"] ?? "", namespace, sinkHosts)];
  try {
    for await (const more of client.list<TableMap>(ConfigMap, { namespace, labelSelector: `${tableLabel}=true` })) {
      const { rows, faults } = readTable(more.data?.["table.yaml"] ?? "", namespace, sinkHosts);
      const where = (message: string) => `${message} (in ConfigMap ${more.metadata.name})`;
      tables.push({ rows, faults: faults.map(({ line, message }) => ({ line, message: where(message) })) });
    }
  } catch (error) {
    unread.set(tablesList, `The tables of optional systems cannot be listed: ${(error as Error).message}`);
  }
  return { rows: tables.flatMap(({ rows }) => rows), faults: tables.flatMap(({ faults }) => faults) };
}

/** The brokers' channels; `undefined` when they cannot be looked at. */
async function readChannels(
  client: Client,
  namespace: string,
  unread: Map<string, string>,
): Promise<Channels | undefined> {
  try {
    return await lookAtChannels(client, namespace);
  } catch (error) {
    unread.set("channels", `The brokers' channels cannot be looked at: ${(error as Error).message}`);
    return undefined;
  }
}

/** The sources and brokers; `undefined` when they cannot be looked at. */
async function readWays(
  { client, unbrokenSince = [] }: SweepTools,
  namespace: string,
  known: KnownWays | undefined,
  now: number,
  unread: Map<string, string>,
): Promise<readonly Way[] | undefined> {
  try {
    const ways = await lookAtWays(client, namespace, now);
    return ways.length > 0 ? ways : [standInWay(unbrokenSince, known, now)];
  } catch (error) {
    unread.set("ways", `The sources and brokers cannot be looked at: ${(error as Error).message}`);
    return undefined;
  }
}

/** Says what to do about channels whose subscribers are not what the Triggers want, or what was done. */
async function sayOf(
  unsound: Channels["unsound"],
  { client, unread }: Tick,
  { staleChannels }: SweepSettings,
): Promise<readonly string[]> {
  if (staleChannels === "report") return adviceOn(unsound);
  const sentences: string[] = [];
  try {
    for (const channel of unsound) sentences.push(await rebuild(channel, client));
  } catch (error) {
    unread.set("channels", `A broker's channel cannot be deleted: ${(error as Error).message}`);
  }
  return sentences;
}
