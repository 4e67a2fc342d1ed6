import { expect, test } from "vitest";
import { progressKey } from "../progress.ts";
import { nextLook } from "./next-look.ts";

const rule = "system/rule";
const second = 1000;
const pause = 10 * second;
const now = Date.parse("2026-01-01T00:00:00Z");

const objectDue = (next: number) => {
  const uid = "u1";
  const progress = { v: 1, uid, step: "waiting", since: "2026-01-01T00:00:00Z", because: "It waits." };
  const text = JSON.stringify({ ...progress, next: new Date(next).toISOString() });
  const metadata = { name: "one", uid, resourceVersion: "1", annotations: { [progressKey(rule)]: text } };
  return { apiVersion: "example.com/v1", kind: "Thing", metadata };
};

test.each([
  ["a time that is yet to come stays", 4 * second, 4 * second],
  ["a time that an instance wrote whose clock is a minute ahead stays", 70 * second, 70 * second],
  ["a time that has passed is replaced", -1 * second, pause],
  ["a time from before a clock was set back by an hour is replaced", 3_600 * second, pause],
])("%s", (_, written, wanted) => {
  expect(nextLook(objectDue(now + written), rule, now, pause)).toBe(now + wanted);
});

test("two instances whose clocks are a minute apart do not write over each other's time", () => {
  let due = now - second;
  let writes = 0;
  for (let look = 0; look < 8; look++) {
    const own = now + look * second + (look % 2 === 0 ? 60 * second : 0);
    const next = nextLook(objectDue(due), rule, own, pause);
    if (next !== due) writes++;
    due = next;
  }
  expect(writes).toBe(1);
});
