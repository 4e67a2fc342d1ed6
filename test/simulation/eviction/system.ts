import { lateFor } from "../../../functions/eviction/lib/dependent.ts";
import { minute } from "../../../shared/duration.ts";
import type { System } from "../system.ts";
import { invariants } from "./invariants.ts";
import { liveness } from "./liveness.ts";
import { mutants } from "./mutants.ts";
import { simulatedOpenStack } from "./openstack.ts";
import { scenarios } from "./scenarios.ts";
import { end, sequence } from "./sequence.ts";
import { workload } from "./workload.ts";

export const eviction: System = {
  name: "eviction",
  scenarios,
  invariants,
  liveness,
  workload,
  mutants,
  sequence,
  end,
  outside: simulatedOpenStack,
  kinds: ["NovaComputeNode", "NeutronL2Agent", "Node"],
  // Moves are looked at three times a minute, and each may be tried three times.
  sweeps: 15,
  // A host or an agent that serves again is looked at once more then, for a call that comes late.
  // It begins when a host is seen empty, up to two sweeps after its servers have left.
  settles: lateFor + 2 * minute,
  // Each look at moves that go on counts them in a condition, a call that may come late is waited for, and each server
  // that is put back to what it was is noted. Faults of four minutes take eighty writes of a host that is lost, and the
  // end of a call to evacuate that was given up thirty.
  writesAtFirst: 120,
};
