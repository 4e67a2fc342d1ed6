import { describe } from "vitest";
import { emulatedWorld } from "../worlds/emulated-world.ts";
import { watchInvariants } from "./pvc-protection/invariants.ts";
import { settings } from "./pvc-protection/settings.ts";
import { stories } from "./pvc-protection/stories.ts";
import { proveGrantsAreUsed } from "./rights.ts";
import { tell } from "./tell.ts";

describe("PVC protection on the laptop edition", () => {
  const asked = tell(stories, settings, { open: emulatedWorld, watch: watchInvariants });
  proveGrantsAreUsed("pvc-protection", asked);
});
