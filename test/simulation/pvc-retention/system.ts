import type { System } from "../system.ts";
import { invariants } from "./invariants/invariants.ts";
import { liveness } from "./liveness/checks.ts";
import { mutants } from "./mutants/mutants.ts";
import { scenarios } from "./scenarios/scenarios.ts";
import { workload } from "./workload.ts";

export const pvcRetention: System = {
  name: "pvc-retention",
  scenarios,
  invariants,
  liveness,
  workload,
  mutants,
  kinds: ["StatefulSet", "Namespace"],
};
