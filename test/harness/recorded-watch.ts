import type { Kind } from "../../shared/kubernetes/kind.ts";
import { pathOf } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Bench } from "./server.ts";

/** One line of a watch. */
export interface WatchLine {
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  object: KubernetesObject;
}

/** A watch that is being written down. */
export interface RecordedWatch {
  /** Every line so far, oldest first. */
  readonly lines: readonly WatchLine[];
  /** HTTP status of the answer; 0 until it came. */
  readonly status: number;
  readonly ended: boolean;
  /** Whether it shows what a list shows at this moment, or has ended before. */
  isUpToDate(): Promise<boolean>;
  /** What happened to each object, as `ADDED name`, without bookmarks. */
  events(): string[];
  stop(): void;
}

/** Opens a watch on a kind in the bench's namespace with these query parameters, and keeps what it says. */
export function recordWatch(bench: Bench, kind: Kind, query: Record<string, string>): RecordedWatch {
  const abort = new AbortController();
  const state = { lines: [] as WatchLine[], status: 0, ended: false };
  const path = `${pathOf(kind, bench.namespace)}?${new URLSearchParams({ watch: "true", ...query })}`;
  const read = async () => {
    const headers = { accept: "application/json" };
    const response = await bench.transport({ method: "GET", path, headers, signal: abort.signal });
    state.status = response.status;
    let rest = "";
    for await (const chunk of response.body) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line) state.lines.push(JSON.parse(line));
    }
  };
  void read()
    // A server that closes the connection ends the history there; what is written until then counts.
    .catch(() => {})
    .finally(() => {
      state.ended = true;
    });
  return {
    get lines() {
      return state.lines;
    },
    get status() {
      return state.status;
    },
    get ended() {
      return state.ended;
    },
    async isUpToDate() {
      const listed = await Array.fromAsync(bench.admin.list(kind, { namespace: bench.namespace }));
      const shown = new Map<string, string>();
      for (const { type, object } of state.lines)
        if (type === "DELETED") shown.delete(object.metadata.uid);
        else if (type === "ADDED" || type === "MODIFIED")
          shown.set(object.metadata.uid, object.metadata.resourceVersion);
      const isShown = ({ metadata }: KubernetesObject) => shown.get(metadata.uid) === metadata.resourceVersion;
      return state.ended || (shown.size === listed.length && listed.every(isShown));
    },
    events: () =>
      state.lines
        .filter(({ type }) => type !== "BOOKMARK")
        .map(({ type, object }) => `${type} ${object.metadata?.name ?? ""}`.trim()),
    stop: () => abort.abort(),
  };
}
