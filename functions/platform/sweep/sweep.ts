import type { Clock } from "../../../shared/clock.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { ConfigMap, type Kind } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Log } from "../../../shared/log.ts";
import { waitingLabel } from "../../../shared/progress.ts";
import { deliver, type Post } from "./deliver.ts";
import { dueTime, needsLook, type Reason, type Span } from "./needs-look.ts";
import { report } from "./report.ts";
import { type Cursor, type Phase, phases, readStatus } from "./status.ts";
import { type Row, readTable } from "./table.ts";

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
  /** Events per second at most. */
  readonly rate: number;
  /** Milliseconds that one tick may take, naps included; less than the schedule's period. */
  readonly tick: number;
}

/** One tick under way. */
interface Tick extends SweepTools {
  readonly end: number;
  /** Milliseconds between two events. */
  readonly pace: number;
  /** Rows by what they list: rows that select the same objects are served by one list. */
  readonly lists: ReadonlyMap<string, readonly Row[]>;
  /** Brokers that did not take an event in this tick, and why; they are not asked again before the next. */
  readonly refusals: Map<string, string>;
  /** Lists that could not be read, and why. */
  readonly unread: Map<string, string>;
  /** Uids of what had its event in this tick. */
  readonly sent: Set<string>;
}

const napStep = 2_000;
/** Milliseconds in which a function has started, looked, and written down when to look again. */
const startTime = 10_000;

/** What has fallen due, or waits to go, comes before what merely has its turn. */
const phaseOf: Readonly<Record<Reason, Phase>> = { due: "urgent", deleting: "urgent", missing: "rest", turn: "rest" };

/**
 * One tick: sends an event for every object of the table's kinds that needs a look, then naps while something falls due
 * within the tick. Where the tick's time ends, the place is written down and the next tick goes on there. A row that
 * cannot be used, a kind that cannot be listed and a broker that takes nothing are reported, and the others still served.
 * Two sweeps at once send some events twice, which the rules bear.
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

  const { rows, faults } = readTable(configMap.data?.["table.yaml"] ?? "");
  const tick: Tick = {
    ...tools,
    end: began + settings.tick,
    pace: 1000 / settings.rate,
    lists: listsOf(rows),
    refusals: new Map(),
    unread: new Map(),
    sent: new Set(),
  };
  const before = readStatus(configMap);
  const after = before ? Date.parse(before.at) : began - 60_000;
  const until = before?.cursor && before.until ? Date.parse(before.until) : began;
  const cursor = await pass(tick, { after, until }, before?.cursor);
  if (!cursor) await nap(tick, until);

  const progress = cursor ? { at: after, cursor, until } : { at: until };
  return report(
    configMap,
    { ...progress, rows: rows.length, faults, refusals: tick.refusals, unread: tick.unread },
    tools,
  );
}

/** Answers the place where the tick's time ended; `undefined` when all was looked at. */
async function pass(tick: Tick, span: Span, from: Cursor | undefined): Promise<Cursor | undefined> {
  for (const phase of phases) {
    // What is urgent is looked for from the beginning, unless that is what the last tick could not finish.
    const start = from?.phase === phase && tick.lists.has(from.list) ? from : undefined;
    const cursor = await passOf(phase, tick, span, start);
    if (cursor) return cursor;
  }
  return undefined;
}

async function passOf(phase: Phase, tick: Tick, span: Span, start: Cursor | undefined): Promise<Cursor | undefined> {
  let cursor = start;
  let reached = start === undefined;
  for (const [list, group] of tick.lists) {
    if (!reached && list !== start?.list) continue;
    reached = true;
    for await (const object of objectsOf(list, group, tick)) {
      if (start?.list === list && !isAfter(object, start)) continue;
      const row = group.find((row) => {
        const reason = needsLook(object, row, span);
        return reason !== undefined && phaseOf[reason] === phase && !tick.refusals.has(row.sink);
      });
      if (!row || tick.sent.has(object.metadata.uid)) continue;
      const { namespace = "", name } = object.metadata;
      if (tick.clock.now() >= tick.end) return cursor ?? { phase, list, namespace: "", name: "" };
      await offer(row, object, tick);
      cursor = { phase, list, namespace, name };
    }
  }
  return undefined;
}

/**
 * While something falls due within the tick, looks at what waits every two seconds; else costs nothing. What has just had its event is
 * looked after as well, for as long as a function may take to start: its rule may want to look again soon, over and over.
 */
async function nap(tick: Tick, looked: number): Promise<void> {
  const { clock, end, lists, sent, refusals } = tick;
  let lately = clock.now();
  for (;;) {
    let next: number | undefined;
    for (const [list, group] of lists) {
      for await (const object of objectsOf(list, group, tick, `${waitingLabel}=true`)) {
        const due = dueTime(object);
        const { namespace = "", uid } = object.metadata;
        const row = group.find((row) => !row.excludedNamespaces.includes(namespace) && !refusals.has(row.sink));
        if (!row || due === undefined || due >= end) continue;
        // What was due when the pass looked has had its event; it is not sent again before the next tick.
        if (due <= looked || sent.has(`${uid} ${due}`)) {
          if (clock.now() - lately < startTime) next = Math.min(next ?? end, clock.now() + napStep);
          continue;
        }
        if (due > clock.now()) {
          next = Math.min(next ?? due, due);
          continue;
        }
        if (clock.now() >= end) return;
        await offer(row, object, tick);
        sent.add(`${uid} ${due}`);
        lately = clock.now();
        next = Math.min(next ?? end, lately + napStep);
      }
    }
    if (next === undefined || clock.now() >= end) return;
    await clock.sleep(Math.min(napStep, Math.max(0, next - clock.now())));
  }
}

/** Sends an event for an object, at the tick's pace; remembers a broker that does not take it. */
async function offer(row: Row, object: KubernetesObject, tick: Tick): Promise<void> {
  const refusal = await deliver(row, object, tick.id(), tick.post, tick.clock, tick.end);
  if (refusal !== undefined) {
    tick.refusals.set(row.sink, refusal);
    return;
  }
  tick.sent.add(object.metadata.uid);
  await tick.clock.sleep(tick.pace);
}

/** The objects of one list, metadata alone. A list that cannot be read, or breaks off, is remembered and ends here. */
async function* objectsOf(
  list: string,
  [row]: readonly Row[],
  { client, unread }: Tick,
  labels?: string,
): AsyncGenerator<KubernetesObject> {
  if (!row || unread.has(list)) return;
  const labelSelector = [labels, row.labelSelector].filter(Boolean).join(",");
  const options = { metadataOnly: true, pageSize: 500, ...(labelSelector ? { labelSelector } : {}) };
  try {
    yield* client.list(kindOf(row), options);
  } catch (error) {
    unread.set(list, `${row.resource} cannot be listed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function listsOf(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  const listOf = ({ apiVersion, resource, labelSelector = "" }: Row) => `${apiVersion}/${resource}?${labelSelector}`;
  return Map.groupBy(rows, listOf);
}

const kindOf = ({ apiVersion, kind, resource, namespaced }: Row): Kind => ({
  apiVersion,
  kind,
  plural: resource,
  namespaced,
});

/** Lists come in the order of their keys: `<namespace>/<name>`, byte by byte. */
function isAfter({ metadata }: KubernetesObject, cursor: Cursor): boolean {
  const key = (namespace: string, name: string) => Buffer.from(`${namespace}/${name}`);
  return Buffer.compare(key(metadata.namespace ?? "", metadata.name), key(cursor.namespace, cursor.name)) > 0;
}
