import { describe } from "vitest";
import { emulatedWorld } from "../worlds/emulated-world.ts";
import { watchInvariants } from "./pvc-retention/invariants.ts";
import { settings } from "./pvc-retention/settings.ts";
import { stories } from "./pvc-retention/stories.ts";
import { tell } from "./tell.ts";

describe("PVC retention on the laptop edition", () => {
  tell(stories, settings, { open: emulatedWorld, watch: watchInvariants });
});
