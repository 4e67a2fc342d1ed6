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
  /** Rows by what they list: rows that select the same objects are served by one list. */
  readonly lists: ReadonlyMap<string, readonly Row[]>;
  /** Brokers that did not take an event in this tick, and why; they are not asked again before the next. */
  readonly refusals: Map<string, string>;
  /** Lists that could not be read, and why. */
  readonly unread: Map<string, string>;
  /** Uids of what had an event in this tick, and names of what had one for all rules. */
  readonly sent: Set<string>;
}

/** Sends an event for an object, at the tick's pace; remembers a broker that does not take it. */
export async function offer(row: Row, object: Named, tick: Tick): Promise<void> {
  const refusal = await deliver(row, object, tick.id(), tick.post, tick.clock, tick.end);
  if (refusal !== undefined) {
    tick.refusals.set(row.sink, refusal);
    return;
  }
  tick.sent.add(object.metadata.uid);
  // A poll is for one rule alone, and of what sources send not every rule hears.
  if ((row.signal ?? sweepType) === sweepType) tick.sent.add(nameOf(row, object));
  await tick.clock.sleep(tick.pace);
}

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
