import { watchEvents } from "../../../local/watch/watch.ts";
import { PersistentVolumeClaim, pathOf } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Plane } from "./boot.ts";

/** What the bench itself sees of a namespace's claims. */
export interface ClaimsSeen {
  /** Resolves at the first change that the condition holds for; checked at once as well. Rejects after `limit` milliseconds. */
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
  const waiting = new Set<() => void>();
  const path = `${pathOf(PersistentVolumeClaim, namespace)}?limit=1`;
  const { metadata } = await admin.request<{ metadata: { resourceVersion: string } }>("GET", path);
  const watch = async () => {
    const options = { namespace, resourceVersion: metadata.resourceVersion, signal };
    for await (const { type, object } of watchEvents(transport, PersistentVolumeClaim, options)) {
      if (type !== "BOOKMARK") seen(type, object, instant());
      for (const check of waiting) check();
    }
  };
  watch().catch((error) => {
    if (!signal.aborted) throw error;
  });
  return {
    until: (what, condition, limit = 180_000) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => finish(new Error(`Not within ${limit / 1000} s: ${what}.`)), limit);
        const check = () => condition() && finish();
        const finish = (error?: Error) => {
          clearTimeout(late);
          waiting.delete(check);
          if (error) reject(error);
          else resolve();
        };
        waiting.add(check);
        check();
      }),
    stop: () => ended.abort(),
  };
}

/** Milliseconds since the epoch with fractions, to be compared between processes of this machine. */
export const instant = () => performance.timeOrigin + performance.now();
