import { expect, test } from "vitest";
import { createSharedSwitch } from "./shared-switch.ts";

/** Written down: when the thing came and went, and how far each scenario got. */
function recorded() {
  const log: string[] = [];
  const thing = createSharedSwitch(async (isThere) => void log.push(isThere ? "comes" : "goes"));
  const scenario = async (name: string, ...wanted: boolean[]) => {
    await thing.begin();
    for (const isThere of wanted) {
      await thing.want(isThere);
      log.push(`${name} ${isThere ? "with" : "without"}`);
    }
    thing.end();
  };
  return { log, scenario };
}

test("it goes when all want it to, and comes back when all want it again", async () => {
  const { log, scenario } = recorded();
  await Promise.all([scenario("a", false, true), scenario("b", true, false, true)]);
  expect(log).toEqual(["b with", "goes", "a without", "b without", "comes", "a with", "b with"]);
});

test("who is done does not hold up the others, and who comes late finds it there", async () => {
  const { log, scenario } = recorded();
  await Promise.all([scenario("a", false), scenario("b", true)]);
  await scenario("c", true, false);
  expect(log).toEqual(["b with", "goes", "a without", "comes", "c with", "goes", "c without"]);
});

test("all learn why it could not come or go", async () => {
  const thing = createSharedSwitch(() => Promise.reject(new Error("stuck")));
  await Promise.all([thing.begin(), thing.begin()]);
  const both = await Promise.allSettled([thing.want(false), thing.want(false)]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});
