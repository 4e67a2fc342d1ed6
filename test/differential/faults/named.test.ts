import { describe, expect, test } from "vitest";
import { runInProcess } from "../run.ts";
import { namedFaults } from "./named.ts";

describe("beside plain Kubernetes, on the laptop edition", () => {
  test.for(namedFaults)("$name", async (fault) => {
    const { sequence, admissionPolicy = false, hasty = false, stall } = fault;
    const result = await runInProcess({ seed: 1, admissionPolicy, faults: false, functions: "repository" }, sequence, {
      hasty,
      disturb: (stalls) => stall && stalls.add(({ process, request }) => stall({ rule: process.rule, ...request })),
    });
    expect(result.failures, result.history.join("\n")).toEqual([]);
  });
});
