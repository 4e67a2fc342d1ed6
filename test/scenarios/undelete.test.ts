import { describe } from "vitest";
import { emulatedWorld } from "../worlds/emulated-world.ts";
import { proveGrantsAreUsed } from "./rights.ts";
import { tell } from "./tell.ts";
import { always, asking, never } from "./undelete/settings.ts";
import { stories } from "./undelete/stories.ts";

describe("undelete on the laptop edition", () => {
  const asked = tell(stories, [asking, always, never], {
    open: emulatedWorld,
    watch: () => ({ check: async () => {} }),
  });
  // An Event is read where a run that was cut short had recorded it already.
  proveGrantsAreUsed("undelete", asked, ["undelete-reserve: get events.k8s.io/events"]);
});
