import { type Result, runInProcess } from "../run.ts";
import type { Functions } from "../worlds/setting.ts";
import type { NamedFault } from "./named.ts";

/** Plays a named fault in this process, without other faults, with these functions in ours. */
export function runNamed(fault: NamedFault, functions: Functions): Promise<Result> {
  const { sequence, admissionPolicy = false, hasty = false, stall } = fault;
  return runInProcess({ seed: 1, admissionPolicy, faults: false, functions }, sequence, {
    hasty,
    disturb: (stalls) => stall && stalls.add(({ process, request }) => stall({ rule: process.rule, ...request })),
  });
}
