import type { System } from "../system.ts";
import { invariants } from "./invariants/invariants.ts";
import { liveness } from "./liveness/checks.ts";
import { mutants } from "./mutants/mutants.ts";
import { scenarios } from "./scenarios/scenarios.ts";
import { end, sequence } from "./sequence.ts";
import { workload } from "./workload.ts";

export const pvcProtection: System = {
  name: "pvc-protection",
  scenarios,
  invariants,
  liveness,
  workload,
  mutants,
  sequence,
  end,
};
