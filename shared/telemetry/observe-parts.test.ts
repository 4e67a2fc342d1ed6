import { expect, test } from "vitest";
import type { Outcome } from "../outcome.ts";
import type { RunResult } from "../pipeline/run.ts";
import { observePart } from "./observe-parts.ts";
import type { Signals } from "./signals.ts";

const failed: Outcome = { result: "failed", status: 503, message: "It is away." };

/** What is counted of a run that ends so. */
function countedOf(result: RunResult) {
  const counted: object[] = [];
  const signals = {
    spans: {
      within: (_: string, __: object, work: () => unknown, end: (span: undefined, result: unknown) => void) =>
        end(undefined, work()),
    },
    instruments: {
      decision: (attributes: object) => counted.push(attributes),
      run: (_: number, attributes: object) => counted.push(attributes),
    },
  } as unknown as Signals;
  observePart(
    {
      name: "run",
      rule: "a/b",
      subject: { kind: { apiVersion: "v1", kind: "Node", plural: "nodes", namespaced: false }, name: "n" },
      events: [],
    },
    () => result,
    signals,
  );
  return counted;
}

test("a run counts as failed where it could not decide, and where one object could not be looked at", () => {
  const counts = [
    { "holdfast.rule": "a/b", "holdfast.outcome": "failed" },
    { "holdfast.rule": "a/b", "error.type": "503" },
  ];
  const outcomes = new Map([["n", [failed]]]);
  expect(countedOf({ outcomes, failed })).toEqual(counts);
  expect(countedOf({ outcomes, lost: failed })).toEqual(counts);
  expect(countedOf({ outcomes: new Map() })).toEqual([{ "holdfast.rule": "a/b" }]);
});
