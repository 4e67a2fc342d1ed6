import { collectionOf } from "../kinds/table.ts";
import { objectJson } from "../representation/represent.ts";
import type { Answer } from "../request/answer.ts";
import type { Call } from "../request/call.ts";
import { listQuery } from "../request/query.ts";
import type { State } from "../state.ts";
import type { StoreEvent } from "../store/collection.ts";
import type { Stored } from "../store/stored.ts";
import { createChannel } from "./channel.ts";
import { prefixOf } from "./get.ts";

/** WATCH: the changes of a collection from a version on, one JSON object a line, for as long as the client reads. */
export function watch(state: State, call: Call): Answer & { type: "lines" } {
  const query = listQuery(call);
  const { resource } = call;
  const prefix = prefixOf(call);
  const selects = query.selects ?? (() => true);
  let stop: (() => void) | undefined;
  const over = new AbortController();
  const channel = createChannel(() => {
    stop?.();
    over.abort();
  });

  const line = (type: string, json: string) => channel.write(`{"type":"${type}","object":${json}}\n`);
  const send = (type: string, stored: Stored) => line(type, objectJson(resource, stored));

  function tell({ type, current, previous }: StoreEvent): void {
    if (!current.key.startsWith(prefix)) return;
    const before = previous !== undefined && selects(previous);
    const after = type !== "DELETED" && selects(current);
    if (before && after) send("MODIFIED", current);
    else if (after) send("ADDED", current);
    else if (before) send("DELETED", current);
  }

  let from = query.resourceVersion ?? 0;
  if (from === 0) {
    from = state.store.version;
    for (const stored of state.store.list(collectionOf(resource), prefix) ?? []) {
      if (selects(stored)) send("ADDED", stored);
    }
  }
  stop = state.store.watch(collectionOf(resource), from, tell);
  if (!stop) {
    const message = `too old resource version: ${from}`;
    line(
      "ERROR",
      JSON.stringify({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message,
        reason: "Expired",
        code: 410,
      }),
    );
    channel.end();
  } else if (query.timeoutSeconds) {
    state.clock.sleep(query.timeoutSeconds * 1000, over.signal).then(channel.end, () => {});
  }
  return { type: "lines", resource, body: channel };
}
