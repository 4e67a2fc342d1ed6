import { describe } from "vitest";
import { emulatedWorld } from "../worlds/emulated-world.ts";
import type { Setting } from "../worlds/world.ts";
import { watchInvariants } from "./pvc-protection/invariants.ts";
import { beside } from "./pvc-protection/settings.ts";
import { stories } from "./pvc-protection/stories.ts";
import { tell } from "./tell.ts";

/** Sources and brokers are those of knative/overlays/no-knative, under the one account that they have there. */
const bare: Setting = { ...beside, name: "beside Kubernetes' own protection", withoutKnative: true };

describe("PVC protection without Knative", () => {
  const told = stories.filter(({ settings }) => settings?.includes(beside));
  tell(
    told.map((story) => ({ ...story, settings: [bare] })),
    [bare],
    { open: emulatedWorld, watch: watchInvariants },
  );
});
