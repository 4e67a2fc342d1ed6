import { describe } from "vitest";
import { openCluster } from "../harness/open-cluster.ts";
import { bySweepsAlone } from "./by-sweeps-alone.ts";
import { explaining } from "./explained.ts";
import { documentList } from "./pvc-retention/document-list.ts";
import { holes } from "./pvc-retention/holes.ts";
import { watchInvariants } from "./pvc-retention/invariants.ts";
import { both } from "./pvc-retention/policies.ts";
import { scenarios } from "./pvc-retention/scenarios.ts";
import { admitted, byDefault, sweptAsShipped } from "./pvc-retention/settings.ts";
import { sweeping } from "./pvc-retention/sweeping.ts";
import { proveGrantsAreUsed, proveWritesAreMade } from "./rights.ts";
import { runScenarios } from "./run-scenarios.ts";

const worlds = { open: openCluster, watch: watchInvariants };

describe("PVC retention on the laptop edition", () => {
  const { open, prove } = explaining(openCluster, byDefault);
  const asked = runScenarios(scenarios, [byDefault], { ...worlds, open });
  proveWritesAreMade("pvc-retention", asked);
  proveGrantsAreUsed("pvc-retention", asked);
  prove();
  // The functions are the same, and the field of the set is written a moment earlier: simulation and differential
  // sequences run with this policy as well.
  const differing = scenarios.filter(({ settings }) => settings?.includes(admitted));
  runScenarios(differing, [admitted], worlds);
  runScenarios(sweeping, [sweptAsShipped], worlds);
});

describe("PVC retention on the laptop edition, without any source of changes", () => {
  const ofBoth = documentList.filter(({ title }) => title.startsWith(both));
  const swept = bySweepsAlone([...ofBoth, ...holes], byDefault, 4_000);
  runScenarios(swept.scenarios, [swept.setting], worlds);
});
