import { describe } from "vitest";
import { emulatedWorld } from "../worlds/emulated-world.ts";
import { settings } from "./platform/settings.ts";
import { stories } from "./platform/stories.ts";
import { watchInvariants } from "./pvc-protection/invariants.ts";
import { proveGrantsAreUsed } from "./rights.ts";
import { tell } from "./tell.ts";

describe("the functions that serve the rules, on the laptop edition", () => {
  const asked = tell(stories, settings, { open: emulatedWorld, watch: watchInvariants });
  proveGrantsAreUsed("platform", asked);
});
