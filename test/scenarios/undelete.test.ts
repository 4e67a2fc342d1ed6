import { describe } from "vitest";
import { emulatedWorld } from "../worlds/emulated-world.ts";
import { proveGrantsAreUsed } from "./rights.ts";
import { runScenarios } from "./run-scenarios.ts";
import { scenarios } from "./undelete/scenarios.ts";
import { always, asking, never } from "./undelete/settings.ts";

describe("undelete on the laptop edition", () => {
  const asked = runScenarios(scenarios, [asking, always, never], {
    open: emulatedWorld,
    watch: () => ({ check: async () => {} }),
  });
  // An Event is read where a run that was cut short had recorded it already.
  proveGrantsAreUsed("undelete", asked, ["undelete-reserve: get events.k8s.io/events"]);
});
