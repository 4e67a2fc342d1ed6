import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { PersistentVolumeClaim, Pod } from "../../shared/kubernetes/kind.ts";
import { claim } from "../../test/harness/manifest.ts";
import type { Plane } from "../plane/boot.ts";
import { inLanes } from "../plane/in-lanes.ts";
import { instant, watchClaims } from "../plane/watch-claims.ts";
import { figuresOf } from "../process/figures.ts";
import type { Arm, Worker } from "./arm.ts";
import { createClaims, namespace } from "./namespace.ts";
import { podLists } from "./pod-lists.ts";

/** What one arm came to in one variant; times in milliseconds. */
export interface Release {
  /** From the first deletion to the last claim gone. */
  readonly wall: number;
  /** How long the deletions themselves took, which no program can beat. */
  readonly deletions: number;
  /** For each claim, from the moment it could go until it was gone. */
  readonly delays: readonly number[];
  readonly lists: number;
  readonly bytes: number;
  readonly ownBytes?: number | undefined;
  readonly cpu: number;
  /** Of source and broker. */
  readonly besides?: number | undefined;
  /** The most memory it had, over what it had before, in bytes. */
  readonly growth: number;
  readonly peak: number;
  /** What the claims cost while they were deleted already and in use; `undefined` in the other variant. */
  readonly holding: { readonly bytes: number; readonly cpu: number; readonly besides?: number | undefined } | undefined;
}

/** Releases `count` claims, each used by a pod that is then deleted, or used by none. */
export async function measureRelease(plane: Plane, arm: Arm, count: number, used: boolean): Promise<Release> {
  const { admin } = plane;
  const worker = await arm.start(plane);
  const gone = new Map<string, number>();
  const deleting = new Set<string>();
  const seen = await watchClaims(plane, namespace, (change, { metadata }, at) => {
    if (change === "DELETED") gone.set(metadata.name, at);
    else if (metadata.deletionTimestamp) deleting.add(metadata.name);
  });
  try {
    await warmUp(plane);
    const names = await createClaims(admin, used ? "used" : "spare", count, used);
    await settled(worker);
    let holding: Release["holding"];
    if (used) {
      const before = await figures(plane, worker);
      await inLanes(names, (name) => admin.delete(PersistentVolumeClaim, namespace, name));
      await seen.until("every claim is being deleted", () => deleting.size === count);
      await settled(worker);
      if (gone.size > 0) throw new Error(`${arm.name} let ${gone.size} claims go that pods use.`);
      const { bytes, cpu, besides } = await figures(plane, worker);
      holding = { bytes: bytes - before.bytes, cpu: cpu - before.cpu, besides: minus(besides, before.besides) };
    }

    resetPeak(worker.pid);
    const before = await figures(plane, worker);
    const free = new Map<string, number>();
    const since = instant();
    await inLanes(names, async (name) => {
      if (used) await admin.delete(Pod, namespace, name, { gracePeriodSeconds: 0 });
      else await admin.delete(PersistentVolumeClaim, namespace, name);
      free.set(name, instant());
    });
    const deletions = instant() - since;
    await seen.until("every claim is gone", () => gone.size === count);
    const wall = Math.max(...gone.values()) - since;
    await settled(worker);
    const after = await figures(plane, worker);
    return {
      wall,
      deletions,
      delays: names.map((name) => Math.max(0, (gone.get(name) ?? 0) - (free.get(name) ?? 0))),
      lists: after.lists - before.lists,
      bytes: after.bytes - before.bytes,
      ownBytes: minus(after.ownBytes, before.ownBytes),
      cpu: after.cpu - before.cpu,
      besides: minus(after.besides, before.besides),
      growth: after.peak - before.rss,
      peak: after.peak,
      holding,
    };
  } finally {
    seen.stop();
    await worker.stop();
  }
}

const minus = (a: number | undefined, b: number | undefined) =>
  a === undefined || b === undefined ? undefined : a - b;

async function figures(plane: Plane, worker: Worker) {
  const { pid, bytes, ownBytes, besides } = worker;
  const lists = await podLists(plane);
  return { ...figuresOf(pid), bytes: bytes(), ownBytes: ownBytes?.(), besides: besides?.(), lists };
}

/** A claim goes in another namespace: its caches are filled then, its code is loaded and its connections are open. */
async function warmUp(plane: Plane): Promise<void> {
  const { admin } = plane;
  const metadata = { namespace: "default", name: "warm-up" };
  let gone = false;
  const seen = await watchClaims(plane, metadata.namespace, (change) => {
    gone ||= change === "DELETED";
  });
  try {
    await admin.create(PersistentVolumeClaim, claim(metadata));
    await admin.delete(PersistentVolumeClaim, metadata.namespace, metadata.name);
    await seen.until("the first claim is gone", () => gone, 60_000);
  } finally {
    seen.stop();
  }
}

/**
 * Waits until it has used next to no processor time for two seconds; rejects when that takes longer than two minutes.
 */
async function settled({ pid, besides }: Worker): Promise<void> {
  const used = () => figuresOf(pid).cpu + (besides?.() ?? 0);
  let last = used();
  for (let quiet = 0, half = 0; quiet < 4; half++) {
    if (half === 240) throw new Error(`Process ${pid}, or what brings it events, is still at work after 120 s.`);
    await sleep(500);
    const now = used();
    quiet = now - last <= 20 ? quiet + 1 : 0;
    last = now;
  }
}

/** Linux alone has such a thing; elsewhere what was needed before counts as well. */
function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    // No such file.
  }
}
