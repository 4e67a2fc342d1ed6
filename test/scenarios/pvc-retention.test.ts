import { describe } from "vitest";
import { emulatedWorld } from "../worlds/emulated-world.ts";
import { watchInvariants } from "./pvc-retention/invariants.ts";
import { before, guarded, whole } from "./pvc-retention/settings.ts";
import { stories } from "./pvc-retention/stories.ts";
import { proveGrantsAreUsed } from "./rights.ts";
import { tell } from "./tell.ts";

// The settings in which less is left to Kubernetes are told in a file of their own, beside this one.
describe("PVC retention on the laptop edition", () => {
  const asked = tell(stories, [whole, before, guarded], { open: emulatedWorld, watch: watchInvariants });
  proveGrantsAreUsed("pvc-retention", asked);
});
