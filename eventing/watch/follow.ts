import type { Clock } from "../../shared/clock.ts";
import { isExpired } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";
import type { Random } from "../random.ts";
import { limitWatch } from "./limit-watch.ts";
import { listSnapshot } from "./list.ts";
import { type Selection, type WatchEvent, watchEvents } from "./watch.ts";

/** What it takes to follow a kind on an API server. */
export interface FollowTools {
  client: Client;
  /** The same server and identity as the client's. */
  transport: Transport;
  clock: Clock;
  random: Random;
  signal: AbortSignal;
  /**
   * Seconds after which each watch is renewed, and given up 10 s later if the connection has died unnoticed; without it
   * the server's own limit holds, and nothing else.
   */
  watchSeconds?: number;
}

export interface FollowOptions<T extends KubernetesObject> extends Selection {
  /** Called with everything there is: at the start and again whenever the server no longer had our version (410). */
  replace(items: T[]): void;
  /** Called for each change after that, in the order of the server; never with a bookmark. */
  apply(event: WatchEvent<T>): void;
  /** Called with each failure before it is tried again. */
  failed?(error: unknown): void;
}

/**
 * List, then watch, for as long as `signal` lets it: what client-go calls a reflector, without a store. A stream that
 * ends is taken up again at the last version seen; a failure is retried from there after a backoff of 0.8 s to 30 s on
 * the clock; only a 410 lists again. Resolves once `signal` has aborted; never rejects.
 */
export async function follow<T extends KubernetesObject>(
  tools: FollowTools,
  kind: Kind,
  options: FollowOptions<T>,
): Promise<void> {
  const { client, transport, clock, random, signal } = tools;
  const { replace, apply, failed, ...selection } = options;
  let version: string | undefined;
  let failures = 0;

  async function listOrWatch(): Promise<void> {
    if (version === undefined) {
      const snapshot = await listSnapshot<T>(client, kind, selection);
      if (signal.aborted) return;
      version = snapshot.resourceVersion;
      replace(snapshot.items);
    }
    const since = clock.now();
    let lively = false;
    using limit = limitWatch(tools);
    const options = { ...selection, ...limit.options, resourceVersion: version };
    for await (const event of watchEvents<T>(transport, kind, options)) {
      if (signal.aborted) return;
      lively = true;
      failures = 0;
      version = event.object.metadata.resourceVersion;
      if (event.type !== "BOOKMARK") apply(event);
    }
    // A server that ends every watch at once must not be asked in a tight loop.
    if (!lively && clock.now() - since < 1000) failures++;
  }

  while (!signal.aborted) {
    try {
      await listOrWatch();
    } catch (error) {
      if (signal.aborted) return;
      failures++;
      failed?.(error);
      if (isExpired(error)) version = undefined;
    }
    if (failures) await clock.sleep(backoff(failures, random), signal).catch(() => {});
  }
}

/** Milliseconds: 800 doubled up to 30,000, spread to twice that so that many followers do not return at once. */
function backoff(failures: number, random: Random): number {
  return Math.min(30_000, 800 * 2 ** (failures - 1)) * (1 + random.next());
}
