import { describe } from "vitest";
import { emulatedWorld } from "../worlds/emulated-world.ts";
import { bySweepsAlone } from "./by-sweeps-alone.ts";
import { documentList } from "./pvc-retention/document-list.ts";
import { holes } from "./pvc-retention/holes.ts";
import { watchInvariants } from "./pvc-retention/invariants.ts";
import { both } from "./pvc-retention/policies.ts";
import { off, scaled, whole } from "./pvc-retention/settings.ts";
import { differingIn, stories } from "./pvc-retention/stories.ts";
import { tell } from "./tell.ts";

const worlds = { open: emulatedWorld, watch: watchInvariants };

describe("PVC retention on the laptop edition, with less left to Kubernetes", () => {
  // In between the default, in which all are told, and the other end, in which they are as well.
  tell([...documentList, ...differingIn(scaled, stories)], [scaled], worlds);
  tell(stories, [off], worlds);
});

describe("PVC retention on the laptop edition, without any source of changes", () => {
  const ofBoth = documentList.filter(({ title }) => title.startsWith(both));
  for (const setting of [whole, off]) {
    const swept = bySweepsAlone([...ofBoth, ...holes], setting, 4_000);
    tell(swept.stories, [swept.setting], worlds);
  }
});
