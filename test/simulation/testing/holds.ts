import { expect } from "vitest";
import { type RunSpec, simulate } from "../simulate.ts";

/** Simulates a run and fails, with the end of its trace, when it does not hold. */
export async function holds(spec: RunSpec): Promise<void> {
  const { failure, trace } = await simulate(spec);
  if (!failure) return;
  const point = spec.point ? ` at request ${spec.point.index}: ${spec.point.what}` : "";
  expect.fail([`Run ${spec.number} of ${spec.scenario.name} fails${point}.`, ...trace.slice(-60)].join("\n"));
}
