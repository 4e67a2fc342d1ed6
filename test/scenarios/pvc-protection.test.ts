import { describe } from "vitest";
import { emulatedWorld } from "../worlds/emulated-world.ts";
import { explaining } from "./explained.ts";
import { watchInvariants } from "./pvc-protection/invariants.ts";
import { scenarios } from "./pvc-protection/scenarios.ts";
import { beside, settings } from "./pvc-protection/settings.ts";
import { proveGrantsAreUsed, proveWritesAreMade } from "./rights.ts";
import { runScenarios } from "./run-scenarios.ts";

describe("PVC protection on the laptop edition", () => {
  const { open, prove } = explaining(emulatedWorld, beside);
  const asked = runScenarios(scenarios, settings, { open, watch: watchInvariants });
  proveWritesAreMade("pvc-protection", asked);
  proveGrantsAreUsed("pvc-protection", asked);
  prove();
});
