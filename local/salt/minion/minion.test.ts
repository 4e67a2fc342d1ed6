import { expect, test } from "vitest";
import { virtualClock } from "../../time/testing/virtual-clock.ts";
import { createMinion, type Returned } from "./minion.ts";

test("a job that is killed returns nothing, at any point", async () => {
  const clock = virtualClock();
  const returned: Returned[] = [];
  // It does not look at the signal, as a program that runs to its end.
  const deaf = async () => {
    await clock.sleep(1000);
    return { return: true, retcode: 0 };
  };
  const minion = createMinion("worker-0", { deaf }, clock, (each) => returned.push(each));
  const job = (jid: string) => ({ jid, fun: "deaf", arg: [], kwarg: {}, user: "storage" });
  minion.publish(job("1"));
  minion.publish(job("2"));
  await clock.advance(500);
  expect([minion.runs("1"), minion.runs("2")]).toEqual([true, true]);
  minion.killJob("1");
  await clock.advance(5000);
  expect(returned.map(({ call }) => call.jid)).toEqual(["2"]);
});
