import { setTimeout as sleep } from "node:timers/promises";
import { PersistentVolumeClaim } from "../../shared/kubernetes/kind.ts";
import { Namespace } from "../../test/harness/kinds.ts";
import { claim, manifest } from "../../test/harness/manifest.ts";
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
  /**
   * When the function's calls began to pass to the API server, and their answers back, in turn: read, answer, patch,
   * answer. Recorded only for claims that were triggered one by one.
   */
  readonly calls: readonly number[];
}

/** What is recorded on the way of the events, while it happens. */
export interface Way {
  readonly hops: readonly PassedHop[];
  /** Pieces that passed between the function and the API server. */
  readonly pieces: readonly { readonly towards: "server" | "client"; readonly at: number }[];
}

/** The first of a process load code and open connections. */
const warmUps = 20;

/** Milliseconds in which the answer to the last event must have come, after its patch was seen. */
const answerWithin = 10_000;

/**
 * Wakes claims one after another, and then many at once, and waits for the patch on each. `way` fills while this goes
 * on.
 */
export async function measureBlock(
  plane: Plane,
  namespace: string,
  single: number,
  burst: number,
  start: () => Promise<void>,
  way?: Way,
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
    const measured = names.slice(warmUps);
    const passed = way ? await hopsOf(measured, way.hops) : new Map<string, Passage["hops"]>();
    return measured.map((name, index) => {
      const hops = passed.get(name) ?? {};
      return {
        kind: index < single ? "single" : "burst",
        woken: woken.get(name) ?? Number.NaN,
        patched: patched.get(name) ?? Number.NaN,
        hops,
        calls: way && index < single ? callsOf(hops, way.pieces) : [],
      };
    });
  } finally {
    seen.stop();
  }
}

/**
 * The first time each step was taken: the patch itself comes round as an event as well. A claim is patched before its
 * event is answered.
 */
async function hopsOf(claims: readonly string[], hops: readonly PassedHop[]): Promise<Map<string, Passage["hops"]>> {
  const deadline = performance.now() + answerWithin;
  for (;;) {
    const first = new Map(claims.map((claim): [string, Passage["hops"]] => [claim, {}]));
    for (const { hop, claim, at } of hops) {
      const passed = first.get(claim);
      if (passed) passed[hop] ??= at;
    }
    const open = claims.filter((claim) => first.get(claim)?.delivered === undefined);
    if (open.length === 0) return first;
    if (performance.now() > deadline)
      throw new Error(`The event of ${open[0]} was not answered, nor were ${open.length - 1} more.`);
    await sleep(20);
  }
}

/** The first piece of each direction in turn, from the moment that the Trigger matched to the function's answer. */
function callsOf({ matched = 0, delivered = 0 }: Passage["hops"], pieces: Way["pieces"]): readonly number[] {
  const during = pieces.filter(({ at }) => at >= matched && at <= delivered);
  return during.filter(({ towards }, index) => towards !== during[index - 1]?.towards).map(({ at }) => at);
}
