import { describe } from "vitest";
import type { Setting } from "../harness/cluster.ts";
import { openCluster } from "../harness/open-cluster.ts";
import { explaining } from "./explained.ts";
import { watchInvariants } from "./pvc-protection/invariants.ts";
import { scenarios } from "./pvc-protection/scenarios.ts";
import { beside, settings } from "./pvc-protection/settings.ts";
import { proveGrantsAreUsed, proveWritesAreMade } from "./rights.ts";
import { runScenarios } from "./run-scenarios.ts";

const others = ["pvc-retention", "undelete"];

/** Of this system alone: some of the work is for others, beside which the scenarios run on a real control plane. */
const withoutOthers = new Map<Setting, Setting>(
  settings.map((setting) => [
    setting,
    { ...setting, leaveOut: ({ metadata }) => others.includes(metadata.labels?.["app.kubernetes.io/name"] ?? "") },
  ]),
);

describe("PVC protection on the laptop edition", () => {
  const { open, prove } = explaining(
    (setting, test) => openCluster(withoutOthers.get(setting) ?? setting, test),
    beside,
  );
  const asked = runScenarios(scenarios, settings, { open, watch: watchInvariants });
  proveWritesAreMade("pvc-protection", asked);
  proveGrantsAreUsed("pvc-protection", asked);
  prove();
});
