import type { System } from "../system.ts";
import { invariants } from "./invariants.ts";
import { liveness } from "./liveness.ts";
import { mutants } from "./mutants.ts";
import { scenarios } from "./scenarios.ts";
import { workload } from "./workload.ts";

export const undelete: System = {
  name: "undelete",
  scenarios,
  invariants,
  liveness,
  workload,
  mutants,
  kinds: ["PersistentVolume", "Namespace"],
};
