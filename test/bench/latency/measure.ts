import { PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import { Namespace } from "../../worlds/kinds.ts";
import { claim, manifest } from "../../worlds/manifest.ts";
import type { Plane } from "../plane/boot.ts";
import type { PassedHop } from "../plane/events-process.ts";
import { inLanes } from "../plane/in-lanes.ts";
import { watchClaims } from "../plane/watch-claims.ts";
import { finalizer, wake } from "./claims.ts";

/** The way of one claim; times by `instant`, both as one watch of the bench saw them. */
export interface Passage {
  readonly kind: "single" | "burst";
  readonly woken: number;
  readonly patched: number;
  /** Steps on the way, where there are any. */
  readonly hops: Partial<Record<PassedHop["hop"], number>>;
}

/** The first of a process load code and open connections. */
const warmUps = 20;

/** Wakes claims one after another, and then many at once, and waits for the patch on each. */
export async function measureBlock(
  plane: Plane,
  namespace: string,
  single: number,
  burst: number,
  start: () => Promise<void>,
  hops: readonly PassedHop[],
): Promise<Passage[]> {
  const { admin } = plane;
  await admin.create(Namespace, manifest(Namespace, { name: namespace }));
  const names = Array.from({ length: warmUps + single + burst }, (_, index) => `${namespace}-${index}`);
  await inLanes(names, (name) => admin.create(PersistentVolumeClaim, claim({ namespace, name })));
  const woken = new Map<string, number>();
  const patched = new Map<string, number>();
  const seen = await watchClaims(plane, namespace, (_, { metadata }, at) => {
    const { name, annotations = {}, finalizers = [] } = metadata;
    if (finalizers.includes(finalizer)) patched.set(name, at);
    else if (annotations[wake]) woken.set(name, at);
  });
  try {
    await start();
    const touch = (name: string) =>
      admin.patch(PersistentVolumeClaim, namespace, name, "merge", { metadata: { annotations: { [wake]: "now" } } });
    const [alone, together] = [names.slice(0, warmUps + single), names.slice(warmUps + single)];
    for (const name of alone) {
      await touch(name);
      await seen.until(`${name} is patched`, () => patched.has(name) && woken.has(name), 30_000);
    }
    await inLanes(together, touch);
    await seen.until("the burst is patched", () => together.every((name) => patched.has(name)));
    return names.slice(warmUps).map((name, index) => ({
      kind: index < single ? "single" : "burst",
      woken: woken.get(name) ?? Number.NaN,
      patched: patched.get(name) ?? Number.NaN,
      hops: firstHops(hops, name),
    }));
  } finally {
    seen.stop();
  }
}

/** The first time each step was taken: the patch itself comes round as an event as well. */
function firstHops(hops: readonly PassedHop[], claim: string): Passage["hops"] {
  const first: Passage["hops"] = {};
  for (const { hop, claim: name, at } of hops) if (name === claim) first[hop] ??= at;
  return first;
}
