import type { System } from "../system.ts";
import { invariants } from "./invariants.ts";
import { liveness } from "./liveness.ts";
import { mutants } from "./mutants.ts";
import { scenarios } from "./scenarios.ts";
import { end, sequence } from "./sequence.ts";
import { workload } from "./workload.ts";

export const undelete: System = {
  name: "undelete",
  scenarios,
  invariants,
  liveness,
  workload,
  mutants,
  sequence,
  end,
  kinds: ["PersistentVolume", "Namespace"],
  // A volume that is kept for a minute and a half from the first sweep on falls due two minutes later where one clock
  // is ahead and another behind, and the next sweep may be a minute away.
  sweeps: 6,
};
