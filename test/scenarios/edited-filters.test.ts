import { describe } from "vitest";
import { emulatedWorld } from "../worlds/emulated-world.ts";
import type { Setting } from "../worlds/world.ts";
import { watchInvariants } from "./pvc-protection/invariants.ts";
import { beside } from "./pvc-protection/settings.ts";
import { stories } from "./pvc-protection/stories.ts";
import { tell } from "./tell.ts";

/** As if an administrator had emptied the filters: each function gets every event of its brokers, and must not mind. */
const unfiltered: Setting = {
  ...beside,
  name: "whose Triggers let everything through",
  edit: (object) =>
    object.kind === "Trigger" ? { ...object, spec: { ...(object.spec as object), filters: [] } } : object,
};

// What wakes a function is what such an edit changes: those who count wakes are told of the filters as they are shipped.
const told = stories.filter(({ settings, title }) => settings?.includes(beside) && !title.includes("wake no function"));

describe("PVC protection after its filters were edited", () => {
  tell(
    told.map((story) => ({ ...story, settings: [unfiltered] })),
    [unfiltered],
    { open: emulatedWorld, watch: watchInvariants },
  );
});
