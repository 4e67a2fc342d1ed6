import fc from "fast-check";
import { expect, test } from "vitest";
import { now, progress, volume } from "../testing/objects.ts";
import { dueIn } from "./due.ts";

const at = (ms: number) => new Date(now + ms).toISOString();
const withNext = (step: string, next?: string) =>
  volume({ annotations: progress("volume/settle", step, next === undefined ? {} : { next }) });

test.each<[string, ReturnType<typeof volume>, number]>([
  ["nothing is written down", volume(), 30_000],
  ["a time is written down that is still to come", withNext("running", at(10_000)), 10_000],
  ["that time is over", withNext("running", at(0)), 30_000],
  ["it was written for another step", withNext("conflict", at(10_000)), 30_000],
  ["it is farther away than the pause", withNext("running", at(3_600_000)), 30_000],
  ["it cannot be read", withNext("running", "soon"), 30_000],
  ["there is none", withNext("running"), 30_000],
])("when %s", (_, object, expected) => {
  expect(dueIn(30_000, object, "volume/settle", "running", now) - now).toBe(expected);
});

test("however often one looks, the time does not move until it has come", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 120_000 }), fc.array(fc.integer({ min: 0, max: 5000 })), (pause, looks) => {
      const first = dueIn(pause, volume(), "volume/settle", "running", now);
      const object = withNext("running", new Date(first).toISOString());
      let time = now;
      for (const ms of looks) {
        time += ms;
        if (time >= first) return;
        expect(dueIn(pause, object, "volume/settle", "running", time)).toBe(first);
      }
    }),
  );
});
