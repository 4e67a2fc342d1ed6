import fc from "fast-check";
import { expect, test } from "vitest";
import { virtualClock } from "../../local/time/testing/virtual-clock.ts";
import { coalesce } from "./coalesce.ts";

const { settle } = virtualClock();

/** Runs that end when a test ends them, with the time each began. */
function harness() {
  let time = 0;
  const runs: { began: number; inputs: readonly number[]; key: string; end: (error?: Error) => void }[] = [];
  const join = coalesce<number, number>(
    (key, inputs) =>
      new Promise((resolve, reject) => {
        const began = ++time;
        runs.push({ began, inputs, key, end: (error) => (error ? reject(error) : resolve(began)) });
      }),
  );
  return {
    runs,
    join: (key = "a") => {
      const arrived = ++time;
      return join(key, arrived).then((began) => ({ arrived, began }));
    },
  };
}

test("requests that arrive while a run is reading share the next one", async () => {
  const { runs, join } = harness();
  const first = join();
  await settle();
  const rest = [join(), join(), join()];
  await settle();
  expect(runs).toHaveLength(1);
  runs[0]?.end();
  await first;
  await settle();
  expect(runs).toHaveLength(2);
  expect(runs[1]?.inputs).toHaveLength(3);
  runs[1]?.end();
  for (const { arrived, began } of await Promise.all(rest)) expect(began).toBeGreaterThan(arrived);
});

test("another subject does not wait", async () => {
  const { runs, join } = harness();
  void join("a");
  void join("b");
  await settle();
  expect(runs.map(({ key }) => key)).toEqual(["a", "b"]);
});

test("but no more than twenty are read at once, and what comes meanwhile is shared as well", async () => {
  const { runs, join } = harness();
  const subjects = Array.from({ length: 22 }, (_, index) => `s${index}`);
  const answers = subjects.map((subject) => join(subject));
  await settle();
  expect(runs).toHaveLength(20);
  const late = join("s20");
  runs[7]?.end(new Error("unreachable"));
  await expect(answers[7]).rejects.toThrow("unreachable");
  await settle();
  expect(runs).toHaveLength(21);
  expect(runs[20]).toMatchObject({ key: "s20", inputs: [expect.anything(), expect.anything()] });
  for (const { end } of runs) end();
  await settle();
  expect(runs.map(({ key }) => key)).toEqual(subjects);
  runs[21]?.end();
  await settle();
  const { arrived, began } = await late;
  expect(began).toBeGreaterThan(arrived);
  expect(await Promise.allSettled(answers)).toHaveLength(22);
});

test("a run that fails fails its own requests only", async () => {
  const { runs, join } = harness();
  const first = join();
  await settle();
  const second = join();
  runs[0]?.end(new Error("unreachable"));
  await expect(first).rejects.toThrow("unreachable");
  await settle();
  runs[1]?.end();
  await expect(second).resolves.toBeDefined();
});

test("whenever requests arrive, none shares a run that began before it, and each is answered", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom("arrive", "end", "fail", "settle"), { maxLength: 40 }), async (steps) => {
      const { runs, join } = harness();
      let ended = 0;
      let answered = 0;
      let asked = 0;
      const end = (error?: Error) => runs[ended] && runs[ended++]?.end(error);
      for (const step of steps) {
        if (step === "arrive") {
          asked++;
          join().then(
            ({ arrived, began }) => {
              answered++;
              expect(began).toBeGreaterThan(arrived);
            },
            () => answered++,
          );
        } else if (step === "settle") await settle();
        else end(step === "fail" ? new Error("failed") : undefined);
      }
      for (let i = 0; i <= asked; i++) {
        await settle();
        end();
      }
      await settle();
      expect(answered).toBe(asked);
    }),
    { numRuns: 200 },
  );
});
