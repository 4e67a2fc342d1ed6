import { expect, test } from "vitest";
import { virtualClock } from "./testing/virtual-clock.ts";
import { untilAborted } from "./until-aborted.ts";

test("what is due before the end runs, and what is due after it does not", async () => {
  const clock = virtualClock();
  const end = new AbortController();
  const bounded = untilAborted(clock, end.signal);
  const ran: string[] = [];
  bounded.after(1_000, () => ran.push("before"));
  bounded.after(1_000, () => ran.push("called off"))();
  bounded.after(3_000, () => ran.push("after"));
  await clock.advance(2_000);
  end.abort();
  bounded.after(1, () => ran.push("too late"));
  await clock.advance(5_000);
  expect(ran).toEqual(["before"]);
});
