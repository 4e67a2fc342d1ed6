import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ApiError } from "../../shared/kubernetes/api-error.ts";
import { type VirtualClock, virtualClock } from "../time/testing/virtual-clock.ts";
import { startWorkQueue, type WorkQueueOptions } from "./work-queue.ts";

describe("the work queue", () => {
  let clock: VirtualClock;
  let stop: AbortController;
  let worked: string[];
  let failed: string[];
  beforeEach(() => {
    clock = virtualClock(0);
    stop = new AbortController();
    worked = [];
    failed = [];
  });
  afterEach(() => stop.abort());

  const start = (options: Partial<WorkQueueOptions> = {}) =>
    startWorkQueue(
      { clock, signal: stop.signal, trouble: ({ subject }) => void failed.push(subject) },
      {
        controller: "tested",
        ready: Promise.resolve(),
        work: async (key) => {
          worked.push(key);
        },
        ...options,
      },
    );

  it("works on each waiting key once, in the order they came", async () => {
    const queue = start();
    for (const key of ["b", "a", "b", "c", "a"]) queue.add(key);
    await clock.settle();
    expect(worked).toEqual(["b", "a", "c"]);
  });

  it("does nothing before it is ready", async () => {
    const ready = Promise.withResolvers<void>();
    start({ ready: ready.promise }).add("a");
    await clock.settle();
    expect(worked).toEqual([]);
    ready.resolve();
    await clock.settle();
    expect(worked).toEqual(["a"]);
  });

  it("looks once more at a key that was added while it was worked on", async () => {
    const release: (() => void)[] = [];
    const queue = start({
      workers: 2,
      work: (key) => {
        worked.push(key);
        return new Promise((resolve) => release.push(resolve));
      },
    });
    queue.add("a");
    await clock.settle();
    queue.add("a");
    queue.add("a");
    await clock.settle();
    expect(worked).toEqual(["a"]);
    release[0]?.();
    await clock.settle();
    expect(worked).toEqual(["a", "a"]);
    release[1]?.();
    await clock.settle();
    expect(worked).toEqual(["a", "a"]);
  });

  it("works on no more keys at once than it has workers", async () => {
    let most = 0;
    let now = 0;
    const queue = start({
      workers: 3,
      work: async () => {
        most = Math.max(most, ++now);
        await clock.sleep(10);
        now--;
      },
    });
    for (let key = 0; key < 10; key++) queue.add(String(key));
    await clock.advance(1000);
    expect(most).toBe(3);
  });

  it("retries with growing pauses, and begins again after a success", async () => {
    let healthy = false;
    const times: number[] = [];
    const queue = start({
      work: async () => {
        times.push(clock.now());
        if (!healthy) throw new Error("no");
      },
    });
    queue.add("a");
    await clock.advance(100);
    expect(times).toEqual([0, 5, 15, 35, 75]);
    expect(failed).toHaveLength(5);
    healthy = true;
    await clock.advance(1000);
    healthy = false;
    times.length = 0;
    queue.add("a");
    const start_ = clock.now();
    await clock.advance(20);
    expect(times.map((time) => time - start_)).toEqual([0, 5, 15]);
  });

  it("reports conflicts only when they go on", async () => {
    const conflict = new ApiError("PATCH", { status: 409, reason: "Conflict", message: "stale" });
    let left = 3;
    const queue = start({
      work: async () => {
        if (left-- > 0) throw conflict;
      },
    });
    queue.add("a");
    await clock.advance(100);
    expect(failed).toEqual([]);
    left = 4;
    queue.add("a");
    await clock.advance(100);
    expect(failed).toEqual(["a"]);
  });

  it("keeps the earliest of several dates for a key", async () => {
    const queue = start();
    queue.addAfter("a", 500);
    queue.addAfter("a", 100);
    queue.addAfter("a", 300);
    await clock.advance(100);
    expect(worked).toEqual(["a"]);
    await clock.advance(1000);
    expect(worked).toEqual(["a"]);
  });

  it("forgets a date when the key is looked at before", async () => {
    const queue = start();
    queue.addAfter("a", 500);
    queue.add("a");
    await clock.advance(1000);
    expect(worked).toEqual(["a"]);
  });

  it("starts nothing after its end", async () => {
    const queue = start();
    queue.addAfter("a", 10);
    stop.abort();
    queue.add("b");
    queue.addAfter("c", 10);
    await clock.advance(1000);
    expect(worked).toEqual([]);
  });
});
