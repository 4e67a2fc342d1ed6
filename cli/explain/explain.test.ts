import { expect, test } from "vitest";
import * as z from "zod";
import { systemClock } from "../../shared/clock.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { PersistentVolumeClaim, Pod } from "../../shared/kubernetes/kind.ts";
import { rule } from "../../shared/rule.ts";
import { SystemError } from "../../shared/system/system-error.ts";
import { type Explanation, explain } from "./explain.ts";
import { printExplanation } from "./print.ts";

/** What explain says about an object for which a rule looks at so many others. */
function explained(others: number, look: () => Promise<undefined> = async () => undefined): Promise<Explanation> {
  const looking = rule({
    name: "test/looking",
    doc: "Looks at others.",
    settings: z.object({}),
    triggers: [],
    permissions: [],
    sweep: [],
    subjects: () =>
      Array.from({ length: others }, (_, i) => ({ kind: PersistentVolumeClaim, namespace: "shop", name: `data-${i}` })),
    look,
    decide: () => [],
  });
  const client = { get: async () => undefined } as unknown as Client;
  const connect = () => () => expect.unreachable("The rule has no external system.");
  const metadata = { name: "web", namespace: "shop", uid: "u", resourceVersion: "1" };
  const installed = [{ rule: looking, environment: {} }];
  return explain(
    Pod,
    { apiVersion: "v1", kind: "Pod", metadata },
    { installed, all: [looking] },
    { client, clock: systemClock, connect },
  );
}

async function printed(others: number): Promise<string> {
  const explanation = await explained(others);
  const lines: string[] = [];
  printExplanation(explanation, 0, { width: 200, print: (line: string) => lines.push(line), paint: (_, text) => text });
  return lines.join("\n");
}

test.each([
  [5, undefined],
  [6, "Rules look at 1 more object for it, which is not explained here."],
  [8, "Rules look at 3 more objects for it, which are not explained here."],
])("of %i other objects that rules look at, it says how many it does not explain", async (others, sentence) => {
  const text = await printed(others);
  if (sentence) expect(text).toContain(sentence);
  else expect(text).not.toContain("not explained");
});

test("a rule whose external system is away leaves the explanation incomplete", async () => {
  const { gaps, words } = await explained(1, async () => {
    throw new SystemError("LINSTOR", "unreachable", "LINSTOR could not be reached.");
  });
  expect(gaps).toEqual(["test/looking could not look: LINSTOR could not be reached."]);
  expect(words).toMatchObject([{ unknown: "LINSTOR could not be reached." }]);
});
