import type { Clock } from "../../../shared/clock.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { isConflict } from "../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { ConfigMap, type Kind } from "../../../shared/kubernetes/kind.ts";
import { retract, tell } from "../../../shared/kubernetes/notice.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { send } from "../../../shared/kubernetes/write.ts";
import type { Log } from "../../../shared/log.ts";
import { waitingLabel } from "../../../shared/progress.ts";
import { deliver, type Post } from "./deliver.ts";
import { dueTime, needsLook, type Span } from "./needs-look.ts";
import { type Cursor, readStatus, statusKey } from "./status.ts";
import { type Fault, type Row, readTable, type Table } from "./table.ts";

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

/** Why a pass ended before its end. */
interface Stopped {
  readonly cursor: Cursor | undefined;
  readonly because: string;
  readonly refused: boolean;
}

const name = "platform/sweep";
const refusedTable = "TableRefused";
const refusedEvents = "BrokerRefused";
const napStep = 2_000;

/**
 * One tick: sends an event for every object of the table's kinds that needs a look, then naps while something falls due
 * within the tick. Where the tick's time or the broker's patience ends, the place is written down and the next tick goes
 * on there. Two sweeps at once send some events twice, which the rules bear.
 *
 * @throws ApiError when the table or a kind cannot be read.
 */
export async function sweep(tools: SweepTools, settings: SweepSettings): Promise<string> {
  const { client, clock } = tools;
  const began = clock.now();
  const end = began + settings.tick;
  const configMap = await client.get<KubernetesObject & { data?: Record<string, string> }>(
    ConfigMap,
    settings.namespace,
    settings.table,
  );
  if (!configMap)
    return `There is no ConfigMap ${settings.namespace}/${settings.table}; install it from knative/platform.`;

  const table = readTable(configMap.data?.["table.yaml"] ?? "");
  const before = readStatus(configMap);
  const after = before ? Date.parse(before.at) : began - 60_000;
  const until = before?.cursor && before.until ? Date.parse(before.until) : began;
  const stopped = await pass(table.rows, { after, until }, before?.cursor, end, tools, settings);
  if (!stopped) await nap(table.rows, { after: until, until }, end, tools);

  const at = new Date(stopped ? after : until).toISOString();
  const progress = stopped ? { cursor: stopped.cursor, until: new Date(until).toISOString() } : {};
  const because = report(table, stopped);
  await writeStatus(configMap, { at, ...progress, because }, table.faults, stopped, tools);
  return because;
}

async function pass(
  rows: readonly Row[],
  span: Span,
  from: Cursor | undefined,
  end: number,
  { client, clock, post, id }: SweepTools,
  { rate }: SweepSettings,
): Promise<Stopped | undefined> {
  // An admin may have taken the kind out of the table in the meantime: then the pass begins anew.
  const lists = listsOf(rows);
  let cursor = from && lists.has(from.list) ? from : undefined;
  let skipping = cursor !== undefined;
  const sent = new Set<string>();
  for (const [list, group] of lists) {
    const [row] = group;
    if (!row) continue;
    if (skipping && cursor && list !== cursor.list) continue;
    const selected = row.labelSelector ? { labelSelector: row.labelSelector } : {};
    for await (const object of client.list(kindOf(row), { ...selected, metadataOnly: true, pageSize: 500 })) {
      if (skipping && cursor && !isAfter(object, cursor)) continue;
      skipping = false;
      const wanting = sent.has(object.metadata.uid) ? undefined : group.find((row) => needsLook(object, row, span));
      if (!wanting) continue;
      if (clock.now() >= end)
        return { cursor, refused: false, because: "The tick's time is over; the next one goes on." };
      const refusal = await deliver(wanting, object, id(), post, clock);
      if (refusal !== undefined)
        return {
          cursor,
          refused: true,
          because: `${wanting.sink} takes no events, because ${refusal}; the next tick goes on.`,
        };
      sent.add(object.metadata.uid);
      cursor = { list, namespace: object.metadata.namespace ?? "", name: object.metadata.name };
      await clock.sleep(1000 / rate);
    }
    skipping = false;
  }
  return undefined;
}

/** While something falls due within the tick, looks at what waits every two seconds; else costs nothing. */
async function nap(rows: readonly Row[], span: Span, end: number, tools: SweepTools): Promise<void> {
  const { client, clock, post, id } = tools;
  const sent = new Set<string>();
  for (;;) {
    let next: number | undefined;
    for (const [row] of listsOf(rows).values()) {
      if (!row) continue;
      const labelSelector = [`${waitingLabel}=true`, row.labelSelector].filter(Boolean).join(",");
      const waiting = client.list(kindOf(row), { metadataOnly: true, labelSelector });
      for await (const object of waiting) {
        const due = dueTime(object);
        // What was due when the pass looked has had its event; it is not sent again before the next tick.
        if (due === undefined || due <= span.until || due >= end) continue;
        const key = `${object.metadata.uid} ${due}`;
        if (sent.has(key)) continue;
        if (due > clock.now()) next = Math.min(next ?? due, due);
        else if ((await deliver(row, object, id(), post, clock)) === undefined) sent.add(key);
        else return;
      }
    }
    if (next === undefined) return;
    await clock.sleep(Math.min(napStep, Math.max(0, next - clock.now())));
  }
}

/** Rows that select the same objects are served by one list, so that an object is sent once however many rows want it. */
function listsOf(rows: readonly Row[]): Map<string, Row[]> {
  return Map.groupBy(
    rows,
    ({ apiVersion, resource, labelSelector = "" }) => `${apiVersion}/${resource}?${labelSelector}`,
  );
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

function report({ rows, faults }: Table, stopped: Stopped | undefined): string {
  const refused = faults.map(({ line, because }) => `Line ${line} of the table is refused: ${because}`);
  const done = rows.length === 1 ? "1 row was swept." : `${rows.length} rows were swept.`;
  return [...refused, stopped?.because ?? done].join(" ");
}

async function writeStatus(
  configMap: KubernetesObject,
  status: { at: string; cursor?: Cursor | undefined; until?: string; because: string },
  faults: readonly Fault[],
  stopped: Stopped | undefined,
  { client, clock, log }: SweepTools,
): Promise<void> {
  const { uid } = configMap.metadata;
  const text = JSON.stringify({ v: 1, uid, ...status, because: status.because.slice(0, 600) });
  try {
    await send(client, annotate(ConfigMap, configMap, { [statusKey]: text }));
  } catch (error) {
    // Another sweep, or the admin, was first: what it wrote stands, and this tick's events were sent all the same.
    if (!isConflict(error)) throw error;
  }
  const notices = [
    { reason: refusedTable, wrong: faults.length > 0 },
    { reason: refusedEvents, wrong: stopped?.refused === true },
  ];
  const before = readStatus(configMap)?.because ?? "";
  for (const { reason, wrong } of notices) {
    const telling = wrong
      ? tell(client, configMap, name, { type: "Warning", reason, action: "Sweep", note: status.because }, clock.now())
      : before !== status.because && before !== ""
        ? retract(client, configMap, name, reason)
        : Promise.resolve();
    await telling.catch((error: Error) =>
      log.warn({ rule: name }, `The Event ${reason} was not written: ${error.message}`),
    );
  }
}
