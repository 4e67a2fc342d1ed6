import { expect, test } from "vitest";
import * as z from "zod";
import { about } from "../../shared/about.ts";
import { systemClock } from "../../shared/clock.ts";
import type { Decision } from "../../shared/decision.ts";
import { annotate } from "../../shared/kubernetes/annotate.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { PersistentVolume, PersistentVolumeClaim, Pod } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { progressKey } from "../../shared/progress.ts";
import { type Rule, rule } from "../../shared/rule.ts";
import { warning } from "../../shared/steps.ts";
import { SystemError } from "../../shared/system/system-error.ts";
import { type Explanation, explain } from "./explain.ts";
import { printExplanation } from "./print.ts";
import { wordOf } from "./word.ts";

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

async function printed(others: number, installNamespace?: string): Promise<string> {
  const explanation = await explained(others);
  const lines: string[] = [];
  const out = { width: 200, print: (line: string) => lines.push(line), paint: (_: unknown, text: string) => text };
  printExplanation(explanation, 0, out, installNamespace);
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

test("another wording is no difference from what is written down, also if a detail has no value", () => {
  const written = { v: 1, uid: "u", step: "kept", since: "2026-01-01T00:00:00Z", because: "It waited.", for: "1h" };
  const annotations = { [progressKey("test/keeping")]: JSON.stringify(written) };
  const metadata = { namespace: "shop", name: "data", uid: "u", resourceVersion: "1", annotations };
  const about = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata };
  const differenceOf = (details: Readonly<Record<string, unknown>>) => {
    const step = { name: "kept", details };
    const decision: Decision = { do: "wait", about, kind: PersistentVolumeClaim, message: "It waits.", step };
    return wordOf({ name: "test/keeping" } as Rule, decision, 0)?.difference;
  };
  expect(differenceOf({ for: "1h", warning: undefined })).toBeUndefined();
  expect(differenceOf({ for: "2h", warning: undefined })).toMatch(/^This differs/);
});

test("where Holdfast is installed in another namespace, commands in an explanation name it", async () => {
  expect(await printed(6, "keeping")).toContain("holdfast status --install-namespace keeping names the objects");
  const written = { v: 1, uid: "u", step: "before", since: "2026-01-01T00:00:00Z", because: "It waited." };
  const annotations = { [progressKey("test/waiting")]: JSON.stringify(written) };
  const metadata = { namespace: "shop", name: "data", uid: "u", resourceVersion: "1", annotations };
  const about = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata };
  const waiting = { name: "test/waiting" } as Rule;
  const decision: Decision = {
    do: "wait",
    about,
    kind: PersistentVolumeClaim,
    message: "It waits.",
    step: { name: "now" },
  };
  expect(wordOf(waiting, decision, 0, "keeping")?.difference).toMatch(
    /run: holdfast status --install-namespace keeping$/,
  );
  expect(wordOf(waiting, decision, 0)?.difference).toMatch(/run: holdfast status$/);
});

test.each([
  ["that is written down already", "held", "wait"],
  ["that is not", "before", "write"],
])("a write %s is explained as what it is", (_, step, expected) => {
  const written = { v: 1, uid: "u", step, since: "2026-01-01T00:00:00Z", because: "It is kept." };
  const annotations = { [progressKey("test/keeping")]: JSON.stringify(written) };
  const metadata = { name: "pv", uid: "u", resourceVersion: "1", annotations };
  const about = { apiVersion: "v1", kind: "PersistentVolume", metadata };
  const decision: Decision = {
    do: "write",
    about,
    kind: PersistentVolume,
    message: "It is kept.",
    writes: [],
    // An Event that is recorded again at each look is no change.
    event: warning("Kept"),
    step: { name: "held" },
  };
  const steps = { before: undefined, held: undefined };
  const keeping = { name: "test/keeping", steps, permissions: [] } as unknown as Rule;
  expect(wordOf(keeping, decision, 0)?.decision).toBe(expected);
});

test("a rule whose external system is away leaves the explanation incomplete", async () => {
  const { gaps, words } = await explained(1, async () => {
    throw new SystemError("LINSTOR", "unreachable", "LINSTOR could not be reached.");
  });
  expect(gaps).toEqual(["test/looking could not look: LINSTOR could not be reached."]);
  expect(words).toMatchObject([{ unknown: "LINSTOR could not be reached." }]);
});

test.each([
  ["that the rule is still to make", {}, true],
  ["that has gone through", { kept: "yes" }, false],
])("a change %s: whether a refusal of it is explained", async (_, annotations, isSaid) => {
  const metadata = { name: "data", namespace: "shop", uid: "u", resourceVersion: "1", annotations };
  const object = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata } as KubernetesObject;
  const keeping = rule({
    name: "test/keeping",
    doc: "Keeps.",
    settings: z.object({}),
    triggers: [],
    permissions: [{ resource: PersistentVolumeClaim, verbs: ["patch"], writes: { annotations: ["kept"] }, why: "" }],
    sweep: [],
    subjects: () => [{ kind: PersistentVolumeClaim, namespace: "shop", name: "data" }],
    look: async () => object,
    decide: (live) => [
      live.metadata.annotations?.kept
        ? about(PersistentVolumeClaim, live).leave("It is kept.")
        : about(PersistentVolumeClaim, live).write("It is kept.", [
            annotate(PersistentVolumeClaim, live, { kept: "yes" }),
          ]),
    ],
  });
  const note = "PersistentVolumeClaim shop/data waits for the API server since 12:00: denied.";
  const events = [
    { reason: "KubernetesRefused", note, reportingInstance: "test/keeping", regarding: { uid: "u" } },
    { reason: "KubernetesRefused", note: "another's", reportingInstance: "test/keeping", regarding: { uid: "v" } },
  ];
  const client = {
    get: async () => object,
    list: async function* () {
      yield* events;
    },
  } as unknown as Client;
  const rules = { installed: [{ rule: keeping, environment: {} }], all: [keeping] };
  const connect = () => () => expect.unreachable("The rule has no external system.");
  const explanation = await explain(PersistentVolumeClaim, object, rules, { client, clock: systemClock, connect });
  expect(explanation.isStuck).toBe(isSaid);
  const lines: string[] = [];
  printExplanation(explanation, 0, { width: 200, print: (line) => lines.push(line), paint: (_, text) => text });
  expect(lines.join("\n").includes(note)).toBe(isSaid);
});
