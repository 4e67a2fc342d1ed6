import { collectionOf } from "../kinds/resource-table.ts";
import { copyOf } from "../patch/copy.ts";
import { type EventWriter, eventWriter } from "../representation/event-writer.ts";
import type { Answer } from "../request/answer.ts";
import type { Call } from "../request/call.ts";
import { type ListQuery, listQuery } from "../request/query.ts";
import type { State } from "../state.ts";
import { type StoreEvent, storedAs } from "../store/stored.ts";
import { createChannel } from "./channel.ts";
import { prefixOf } from "./get.ts";

// A real server ends watches without a timeout after 30 to 60 minutes, and sends the last bookmark 2 s before the end.
const shortest = 30 * 60;
const lastBookmark = 2;

/** WATCH: the changes of a collection from a version on, one JSON object a line, for as long as the client reads. */
export function watch(state: State, call: Call): Answer {
  const query = listQuery(call);
  const collection = collectionOf(call.resource);
  const prefix = prefixOf(call);
  const over = new AbortController();
  const stops: (() => void)[] = [() => over.abort()];
  const channel = createChannel(() => {
    for (const stop of stops) stop();
  });
  const { signal } = call.request;
  signal?.addEventListener("abort", channel.end, { once: true });
  stops.push(() => signal?.removeEventListener("abort", channel.end));
  state.watches.set(channel.end, collection);
  stops.push(() => state.watches.delete(channel.end));

  const writer = eventWriter(state, call, channel.write);
  let from = query.resourceVersion ?? 0;
  if (from === 0) {
    from = state.store.version;
    const selects = query.selects ?? (() => true);
    for (const stored of state.store.list(collection, prefix) ?? [])
      if (selects(stored)) writer.object("ADDED", stored);
  }
  const stop = state.store.watch(collection, from, (event) => forward(event, prefix, query, writer));
  if (!stop) {
    writer.expired(`too old resource version: ${from} (${state.store.horizon(collection) + 1})`);
    channel.end();
    return { type: "stream", body: channel };
  }
  stops.push(stop);
  schedule(state, query, writer, channel.end, over.signal);
  return { type: "stream", body: channel };
}

/**
 * Passes on what concerns the watch. An object that begins or ceases to be selected is added or deleted to this
 * watcher.
 */
function forward(
  { type, current, previous }: StoreEvent,
  prefix: string,
  { selects }: ListQuery,
  writer: EventWriter,
): void {
  if (!current.key.startsWith(prefix)) return;
  const before = previous !== undefined && (selects?.(previous) ?? true);
  const after = type !== "DELETED" && (selects?.(current) ?? true);
  if (before && after) writer.object("MODIFIED", current);
  else if (after) writer.object("ADDED", current);
  else if (before && type === "DELETED") writer.object("DELETED", current);
  // The watcher is shown the state it knows, under the version that took it out of the selection.
  else if (before) writer.object("DELETED", storedAs(current.key, current.version, copyOf(previous.object)));
}

/** The end of the watch, and a bookmark before it. */
function schedule(
  { clock, random, store }: State,
  { allowBookmarks, timeoutSeconds }: ListQuery,
  writer: EventWriter,
  end: () => void,
  signal: AbortSignal,
): void {
  const bookmark = () => writer.bookmark(store.version);
  const seconds = timeoutSeconds ?? shortest + random.below(shortest);
  const last = allowBookmarks && seconds > lastBookmark ? lastBookmark : 0;
  const sleep = (duration: number) => clock.sleep(duration * 1000, signal);
  sleep(seconds - last)
    .then(() => {
      if (last === 0) return undefined;
      bookmark();
      return sleep(last);
    })
    .then(end)
    // Aborted: the watch is over already.
    .catch(() => {});
}
