import type { Clock } from "../../../shared/clock.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { sweepType } from "../lib/kept-event.ts";
import { deliver, type Named, type Post } from "./deliver.ts";
import type { Row } from "./table.ts";

/** One tick under way. */
export interface Tick {
  readonly client: Client;
  readonly clock: Clock;
  readonly post: Post;
  /** A fresh event id. */
  readonly id: () => string;
  readonly end: number;
  /** Milliseconds between two events. */
  readonly pace: number;
  /** All rows, also those that are not listed: they say to which broker the events of a kind go. */
  readonly rows: readonly Row[];
  /** Rows by what they list: rows that select the same objects are served by one list. */
  readonly lists: ReadonlyMap<string, readonly Row[]>;
  /** Brokers that did not take an event in this tick, and why; they are not asked again before the next. */
  readonly refusals: Map<string, string>;
  /** Brokers and lists that failed in a tick before. Their objects are resynced: events of sources may be lost. */
  readonly owed: ReadonlySet<string>;
  /** Lists that could not be read, and why. */
  readonly unread: Map<string, string>;
  /** Uids and names of what had an event for all rules in this tick; uids with the signal of what had a poll. */
  readonly sent: Set<string>;
}

/** What `unread` calls the list of the tables of optional systems. */
export const tablesList = "tables";

/** Sends an event for an object, at the tick's pace; remembers a broker that does not take it. */
export async function offer(row: Row, object: Named, tick: Tick): Promise<void> {
  const refusal = await deliver(row, object, tick.id(), tick.post, tick.clock, tick.end);
  if (refusal !== undefined) {
    tick.refusals.set(row.sink, refusal);
    return;
  }
  const { signal = sweepType } = row;
  // A poll is for one rule alone, and of what sources send not every rule hears.
  const isForAll = signal === sweepType;
  tick.sent.add(isForAll ? object.metadata.uid : `${object.metadata.uid} ${signal}`);
  if (isForAll) tick.sent.add(nameOf(row, object));
  await tick.clock.sleep(tick.pace);
}

/** Whether an object has had its event of this row in this tick: one for all rules, or the row's own poll. */
export const hasHad = ({ signal }: Row, { metadata: { uid } }: Named, { sent }: Tick) =>
  sent.has(uid) || (signal !== undefined && sent.has(`${uid} ${signal}`));

/** An object, as an event names it. */
export const nameOf = ({ apiVersion, kind }: Row, { metadata }: Named) =>
  `${apiVersion} ${kind} ${metadata.namespace ?? ""}/${metadata.name}`;

/** The objects of one list, metadata alone. A list that cannot be read, or breaks off, is remembered and ends here. */
export async function* objectsOf(
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

/** The rows of a table by what they list. */
export function listsOf(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  const listOf = ({ apiVersion, resource, labelSelector = "" }: Row) => `${apiVersion}/${resource}?${labelSelector}`;
  return Map.groupBy(rows, listOf);
}

/** The kind that a row is about. */
export const kindOf = ({ apiVersion, kind, resource, namespaced }: Row): Kind => ({
  apiVersion,
  kind,
  plural: resource,
  namespaced,
});
