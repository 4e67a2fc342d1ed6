import type { System } from "../system.ts";
import { invariants } from "./invariants.ts";
import { liveness } from "./liveness.ts";
import { mutants } from "./mutants.ts";
import { simulatedSalt } from "./salt.ts";
import { scenarios } from "./scenarios.ts";
import { end, sequence } from "./sequence.ts";
import { workload } from "./workload.ts";

export const volume: System = {
  name: "volume",
  scenarios,
  invariants,
  liveness,
  workload,
  mutants,
  sequence,
  end,
  outside: simulatedSalt,
  // A lost job is found, posted again, found lost again and begun again, each in a sweep; what was not taken back
  // pauses longer.
  sweeps: 15,
  // Each step of a job is written down, and a minion that does not answer is looked for again and again.
  writesAtFirst: 60,
  kinds: ["Volume", "PersistentVolume"],
};
