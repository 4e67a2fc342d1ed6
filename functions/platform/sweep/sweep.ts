import { createHash } from "node:crypto";
import type { Clock } from "../../../shared/clock.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { ConfigMap } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Log } from "../../../shared/log.ts";
import { adviceOn, type Channels, lookAtChannels, rebuild } from "./channels.ts";
import type { Post } from "./deliver.ts";
import { nap } from "./nap.ts";
import { pass } from "./pass.ts";
import { report } from "./report.ts";
import { resend } from "./resend.ts";
import { readStatus } from "./status.ts";
import { type Row, readTable, type Table, tableLabel } from "./table.ts";
import { listsOf, type Tick } from "./tick.ts";

/** What a sweep stands on. */
export interface SweepTools {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly post: Post;
  /** A fresh event id. */
  readonly id: () => string;
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

  const unread = new Map<string, string>();
  const { rows, faults } = await readTables(client, configMap, settings, unread);
  const tick: Tick = {
    ...tools,
    end: began + settings.tick,
    pace: 1000 / settings.rate,
    lists: listsOf(rows),
    refusals: new Map(),
    unread,
    sent: new Set(),
  };
  const before = readStatus(configMap);
  // Tables and channels that could not be listed are not gone.
  const table = unread.has("tables") ? before?.table : fingerprintOf(rows);
  const seen = await readChannels(client, settings.namespace, unread);
  const channels = seen?.fingerprint ?? before?.channels;
  // A first tick, one whose status was lost, and one with rows of a system that has just come resyncs everything. So
  // does one that finds other channels, or other subscribers in them: until then events may have reached no function.
  const newChannels = before !== undefined && (before.channels ?? channels) !== channels;
  const asBefore = before && !newChannels && (before.table ?? table) === table ? before : undefined;
  const after = asBefore ? Date.parse(asBefore.at) : 0;
  const until = asBefore?.cursor && asBefore.until ? Date.parse(asBefore.until) : began;
  const cursor = await pass(tick, { after, until }, asBefore?.cursor);
  const resent = await resend(tick, settings, before?.resent ?? []);
  if (!cursor) await nap(tick, until);

  // Last, because events that are on their way through a channel are lost with it.
  const staleSubscribers = await sayOf(seen?.unsound ?? [], tick, settings);
  const progress = cursor ? { at: after, cursor, until } : { at: until };
  const { refusals } = tick;
  const wrong = { faults, refusals, unread, staleSubscribers };
  return report(configMap, { ...progress, table, channels, newChannels, resent, rows: rows.length, ...wrong }, tools);
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
    unread.set("tables", `The tables of optional systems cannot be listed: ${(error as Error).message}`);
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
