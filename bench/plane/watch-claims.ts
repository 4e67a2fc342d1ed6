import { watchEvents } from "../../eventing/watch/watch.ts";
import { PersistentVolumeClaim, pathOf } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Plane } from "./boot.ts";

/** What the bench itself sees of a namespace's claims. */
export interface ClaimsSeen {
  /**
   * Resolves at the first change that the condition holds for; checked at once as well. Rejects after `limit`
   * milliseconds.
   */
  until(what: string, condition: () => boolean, limit?: number): Promise<void>;
  stop(): void;
}

/** Watches the claims of a namespace from now on. `seen` hears of each change, with the time by {@link instant}. */
export async function watchClaims(
  { admin, transport }: Plane,
  namespace: string,
  seen: (change: "ADDED" | "MODIFIED" | "DELETED", claim: KubernetesObject, at: number) => void,
): Promise<ClaimsSeen> {
  const ended = new AbortController();
  const { signal } = ended;
  const waiting = new Set<(failure?: Error) => void>();
  const path = `${pathOf(PersistentVolumeClaim, namespace)}?limit=1`;
  const { metadata } = await admin.request<{ metadata: { resourceVersion: string } }>("GET", path);
  let { resourceVersion } = metadata;
  const watch = async () => {
    // The server ends watches that fall behind, which on a busy machine they do; nothing is lost when it is taken up
    // again.
    while (!signal.aborted) {
      for await (const { type, object } of watchEvents(transport, PersistentVolumeClaim, {
        namespace,
        resourceVersion,
        signal,
      })) {
        resourceVersion = object.metadata.resourceVersion;
        if (type !== "BOOKMARK") seen(type, object, instant());
        for (const check of waiting) check();
      }
    }
  };
  let failure: Error | undefined;
  watch().catch((error: Error) => {
    if (signal.aborted) return;
    failure = new Error(`The bench's own watch of claims ended: ${error.message}`, { cause: error });
    for (const check of waiting) check(failure);
  });
  return {
    until: (what, condition, limit = 180_000) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => finish(new Error(`Not within ${limit / 1000} s: ${what}.`)), limit);
        const check = (failure?: Error) => {
          if (failure) finish(failure);
          else if (condition()) finish();
        };
        const finish = (error?: Error) => {
          clearTimeout(late);
          waiting.delete(check);
          if (error) reject(error);
          else resolve();
        };
        waiting.add(check);
        check(failure);
      }),
    stop: () => ended.abort(),
  };
}

/** Milliseconds since the epoch with fractions, to be compared between processes of this machine. */
export const instant = () => performance.timeOrigin + performance.now();
