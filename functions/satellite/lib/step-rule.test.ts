import { expect, test } from "vitest";
import { progressKey } from "../../../shared/progress.ts";
import { nextLook } from "./step-rule.ts";
import { aSatellite, now } from "./testing/seen.ts";

const rule = "satellite/evacuate";
const second = 1000;

const satelliteDue = (next: number) => {
  const uid = aSatellite().metadata.uid;
  const progress = { v: 1, uid, step: "waiting", since: "2026-01-01T00:00:00Z", because: "It waits." };
  const text = JSON.stringify({ ...progress, next: new Date(next).toISOString() });
  return aSatellite({ metadata: { annotations: { [progressKey(rule)]: text } } });
};

test.each([
  ["what is yet to come stays", 4 * second, 4 * second],
  ["what an instance has written whose clock is a minute ahead stays", 70 * second, 70 * second],
  ["what has passed is written anew", -1 * second, 10 * second],
  ["what was written before a clock was set back by an hour is written anew", 3_600 * second, 10 * second],
])("%s", (_, written, wanted) => {
  expect(nextLook(satelliteDue(now + written), rule, now)).toBe(now + wanted);
});

test("two instances whose clocks are a minute apart do not write over each other's time", () => {
  let satellite = satelliteDue(now - second);
  let writes = 0;
  for (let look = 0; look < 8; look++) {
    const at = now + look * second;
    const own = at + (look % 2 === 0 ? 60 * second : 0);
    const next = nextLook(satellite, rule, own);
    if (nextLook(satellite, rule, own) !== Date.parse(nextOf(satellite))) writes++;
    satellite = satelliteDue(next);
  }
  expect(writes).toBe(1);
});

const nextOf = ({ metadata }: ReturnType<typeof aSatellite>) =>
  (JSON.parse(metadata.annotations?.[progressKey(rule)] ?? "{}") as { next?: string }).next ?? "";
