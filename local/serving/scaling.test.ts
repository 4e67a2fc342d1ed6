import { expect, test } from "vitest";
import type { Scale } from "./autoscaling.ts";
import { longestQueue, wantedInstances } from "./scaling.ts";

const scale = (changes: Partial<Scale> = {}): Scale => ({
  min: 0,
  max: 0,
  window: 60_000,
  retention: 0,
  burst: 211,
  ...changes,
});

test.each([
  ["nothing to do", scale(), 10, { busy: 0, waiting: 0 }, 0],
  ["as much as one takes at 70 %", scale(), 10, { busy: 7, waiting: 0 }, 1],
  ["one more than that", scale(), 10, { busy: 7, waiting: 1 }, 2],
  ["no limit counts as 100", scale(), 0, { busy: 71, waiting: 0 }, 2],
  ["a target of its own", scale({ target: 1 }), 10, { busy: 2, waiting: 1 }, 5],
])("instances wanted: %s", (_, scale, concurrency, load, wanted) => {
  expect(wantedInstances(scale, concurrency, { ready: 1, ...load })).toBe(wanted);
});

test.each([
  ["no instance: the activator", scale({ burst: 0 }), { ready: 0, busy: 0, waiting: 0 }, 10_000],
  ["the default capacity for bursts: the activator", scale(), { ready: 2, busy: 0, waiting: 0 }, 10_000],
  ["-1: always the activator", scale({ burst: -1 }), { ready: 100, busy: 0, waiting: 0 }, 10_000],
  ["0: the instances", scale({ burst: 0 }), { ready: 2, busy: 10, waiting: 3 }, 100],
  ["enough spare: the instances", scale({ burst: 5 }), { ready: 2, busy: 5, waiting: 0 }, 100],
  ["not enough spare: the activator", scale({ burst: 5 }), { ready: 2, busy: 6, waiting: 0 }, 10_000],
])("requests that may wait, at a concurrency of 5: %s", (_, scale, load, longest) => {
  expect(longestQueue(scale, 5, load)).toBe(longest);
});
