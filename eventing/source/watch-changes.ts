import { ApiError } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { type Kind, pathOf } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { FollowTools } from "../watch/follow.ts";
import { limitWatch } from "../watch/limit-watch.ts";
import { watchEvents } from "../watch/watch.ts";
import type { WatchedChange } from "./change-event.ts";

/** One kind in one namespace, or in all of them. */
export interface Watched {
  readonly kind: Kind;
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
}

export interface ChangeHandlers {
  /** From now on changes are seen. Called again after each gap. */
  begun(): void;
  /** What changed until `begun` is called again is lost. */
  gap(message: string): void;
  /** The server would not even list; it is asked again. */
  failed(message: string): void;
  /** Called for one change at a time: while it is pending nothing more is read. */
  changed(change: WatchedChange, object: KubernetesObject): Promise<void>;
  /** Whether the watch ends for good when it ends, for any reason. */
  readonly failFast: boolean;
}

/** A watch that can be marked as too far behind. */
export interface WatchOfChanges {
  /** Makes the watch end as with 410 Gone. */
  expire(): void;
  /** Resolves when the signal has aborted or, failing fast, with the reason the watch ended for. */
  readonly ended: Promise<string>;
}

/**
 * Sees changes as the reflector inside an ApiServerSource does, which keeps no objects: what exists at the start is
 * passed over, a watch that the server closes is taken up where it was, one that it refuses is asked for again, and
 * after any other end (410 above all) it begins again with the present, so that all that happened in between goes
 * unseen.
 */
export function watchChanges(
  tools: FollowTools,
  { kind, namespace, labelSelector }: Watched,
  handlers: ChangeHandlers,
): WatchOfChanges {
  const { client, transport, clock, random, signal } = tools;
  const selection = { ...(namespace ? { namespace } : {}), ...(labelSelector ? { labelSelector } : {}) };
  let expire = () => {};

  async function watch(version: string, stop: AbortSignal, seen: (version: string) => void): Promise<void> {
    using limit = limitWatch({ ...tools, signal: stop });
    const options = { ...selection, ...limit.options, resourceVersion: version };
    for await (const { type, object } of watchEvents(transport, kind, options)) {
      seen(object.metadata.resourceVersion);
      if (type !== "BOOKMARK") await handlers.changed(type, object);
      if (stop.aborted) return;
    }
  }

  async function run(): Promise<string> {
    let version: string | undefined;
    let failures = 0;
    let message = "the watch was closed by the server";
    while (!signal.aborted) {
      const round = new AbortController();
      expire = () => round.abort(new Error("410 Gone was asked for"));
      let opened = false;
      try {
        if (version === undefined) {
          version = await presentVersion(client, kind, selection);
          handlers.begun();
        }
        opened = true;
        await watch(version, AbortSignal.any([signal, round.signal]), (next) => {
          version = next;
          failures = 0;
        });
        round.signal.throwIfAborted();
        failures++;
      } catch (error) {
        failures++;
        message = error instanceof Error ? error.message : String(error);
        if (!opened && !signal.aborted) handlers.failed(message);
        if (opened && !isRefusal(error) && !signal.aborted) {
          version = undefined;
          handlers.gap(message);
        }
      }
      if (handlers.failFast) return message;
      // The first end of a watch that had something to say is no reason to wait.
      if (failures > 1 || version === undefined) {
        await clock.sleep(Math.min(30_000, 800 * 2 ** (failures - 1)) * (1 + random.next()), signal).catch(() => {});
      }
    }
    return "stopped";
  }

  return { expire: () => expire(), ended: run() };
}

/** The version of the collection now, for the price of one object at most. */
async function presentVersion(
  client: Client,
  kind: Kind,
  { namespace, labelSelector }: { namespace?: string; labelSelector?: string },
): Promise<string> {
  const query = new URLSearchParams({ limit: "1", ...(labelSelector ? { labelSelector } : {}) });
  const path = `${pathOf(kind, namespace)}?${query}`;
  const list = await client.request<{ metadata: { resourceVersion: string } }>("GET", path);
  return list.metadata.resourceVersion;
}

/** The server did not begin the watch, so nothing was missed that the same version would not show again. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status === 429 || (error.status === 0 && /ECONNREFUSED|refused/.test(`${error.message} ${error.cause}`));
}
