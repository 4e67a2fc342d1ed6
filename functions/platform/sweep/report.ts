import type { Clock } from "../../../shared/clock.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { isConflict } from "../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { ConfigMap } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { clearEvent, recordEvent } from "../../../shared/kubernetes/record-event.ts";
import { send } from "../../../shared/kubernetes/write.ts";
import type { Log } from "../../../shared/log.ts";
import { truncate } from "../../../shared/truncate.ts";
import { type Cursor, type Owed, readStatus, statusKey } from "../lib/sweep-status.ts";
import type { Fault } from "./table.ts";
import type { KnownWays } from "./ways.ts";

/** What a tick came to. Times are in milliseconds since the epoch. */
export interface TickResult {
  readonly at: number;
  /** Which rows the table had, as `fingerprintOf` says. */
  readonly table: string | undefined;
  /** Which channels there were, as `lookAtChannels` says. */
  readonly channels: string | undefined;
  /** Since when sources and brokers have been Ready, as `comparedWays` says. */
  readonly ways: KnownWays | undefined;
  /** When everything was resynced in the last hour because one of them was Ready again. */
  readonly waysBack: readonly string[];
  /** Why everything was resynced, in a sentence; `undefined` where no event was lost. */
  readonly lost: string | undefined;
  /** When this tick began, and the pauses between the last three ticks, as far as they are known. */
  readonly began: number;
  readonly pauses: readonly number[];
  /** Brokers and lists that failed, with when. */
  readonly owed: Owed;
  /** Which kept events have been sent again. */
  readonly resent: readonly string[];
  /** When the last of them was (RFC 3339). */
  readonly resentAt: string | undefined;
  /** Functions for which everything was resynced, with when. */
  readonly madeUp: Readonly<Record<string, string>>;
  readonly cursor?: Cursor;
  readonly until?: number;
  readonly rows: number;
  readonly faults: readonly Fault[];
  readonly refusals: ReadonlyMap<string, string>;
  readonly unread: ReadonlyMap<string, string>;
  /** Of channels whose subscribers are not what the Triggers want, in sentences. */
  readonly staleSubscribers: readonly string[];
}

const name = "platform/sweep";

/** Writes down on the ConfigMap how far the sweep has come and what was wrong, and returns it in words. */
export async function report(
  configMap: KubernetesObject,
  result: TickResult,
  { client, clock, log }: { client: Client; clock: Clock; log: Log },
): Promise<string> {
  const wrong = {
    TableRefused: result.faults.map(({ line, message }) => `Line ${line} of the table is refused: ${message}`),
    ListRefused: [...result.unread.values()],
    StaleSubscribers: result.staleSubscribers,
    BrokerRefused: [...result.refusals].map(
      ([sink, why]) => `${sink} takes no events, because ${why}; it is tried again with the next tick.`,
    ),
  };
  const end = result.cursor
    ? "The time of this tick is over. The next tick goes on."
    : `${result.rows === 1 ? "1 row was" : `${result.rows} rows were`} swept.`;
  const message = [...Object.values(wrong).flat(), ...(result.lost ? [result.lost] : []), end].join(" ");
  const before = readStatus(configMap)?.wrong ?? [];
  const now = Object.entries(wrong).flatMap(([reason, sentences]) => (sentences.length > 0 ? [reason] : []));
  const status = {
    v: 1,
    uid: configMap.metadata.uid,
    at: new Date(result.at).toISOString(),
    began: new Date(result.began).toISOString(),
    ...(result.pauses.length > 0 ? { pauses: result.pauses } : {}),
    ...(result.table ? { table: result.table } : {}),
    ...(result.channels ? { channels: result.channels } : {}),
    ...(result.ways ? { ways: result.ways } : {}),
    ...(result.waysBack.length > 0 ? { waysBack: result.waysBack } : {}),
    ...(result.cursor && result.until ? { cursor: result.cursor, until: new Date(result.until).toISOString() } : {}),
    ...(Object.keys(result.owed).length > 0 ? { owed: result.owed } : {}),
    ...(result.resent.length > 0 ? { resent: result.resent } : {}),
    ...(result.resentAt ? { resentAt: result.resentAt } : {}),
    ...(Object.keys(result.madeUp).length > 0 ? { madeUp: result.madeUp } : {}),
    ...(now.length > 0 ? { wrong: now } : {}),
    because: truncate(message, 600),
  };
  try {
    await send(client, annotate(ConfigMap, configMap, { [statusKey]: JSON.stringify(status) }));
  } catch (error) {
    // Another sweep, or the admin, was first: what it wrote stands, and this tick's events were sent all the same.
    if (!isConflict(error)) throw error;
  }
  for (const [reason, sentences] of Object.entries(wrong)) {
    const note = sentences.join(" ");
    const recording = note
      ? recordEvent(client, configMap, name, { type: "Warning", reason, note }, clock.now())
      : before.includes(reason)
        ? clearEvent(client, configMap, name, reason)
        : Promise.resolve();
    await recording.catch((error: Error) =>
      log.warn({ rule: name }, `The Event ${reason} was not recorded: ${error.message}`),
    );
  }
  return message;
}
