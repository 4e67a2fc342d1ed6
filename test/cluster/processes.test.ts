import { afterAll, beforeAll, describe, inject } from "vitest";
import * as protection from "../scenarios/pvc-protection/invariants.ts";
import { beside } from "../scenarios/pvc-protection/settings.ts";
import { stories } from "../scenarios/pvc-protection/stories.ts";
import { bequeathing } from "../scenarios/pvc-retention/bequeathing.ts";
import { documentList } from "../scenarios/pvc-retention/document-list.ts";
import { gracePeriods } from "../scenarios/pvc-retention/grace.ts";
import { holes } from "../scenarios/pvc-retention/holes.ts";
import * as retention from "../scenarios/pvc-retention/invariants.ts";
import { orphaning } from "../scenarios/pvc-retention/orphaning.ts";
import { both } from "../scenarios/pvc-retention/policies.ts";
import { guarded, whole } from "../scenarios/pvc-retention/settings.ts";
import { tell } from "../scenarios/tell.ts";
import { processWorlds } from "../worlds/process-world.ts";
import type { RealWorlds } from "../worlds/real-world.ts";
import { missingControllers } from "./missing-controllers.ts";

const cluster = inject("cluster");

describe.skipIf(!cluster)(
  "PVC protection and PVC retention by npm start -- --kubeconfig on a real control plane",
  () => {
    if (!cluster) return;
    let worlds: RealWorlds;
    beforeAll(async () => {
      // The suite's own control plane guards owner references.
      worlds = await processWorlds(guarded, { kubeconfig: cluster.kubeconfig, missing: missingControllers(cluster) });
    });
    afterAll(() => worlds?.stop());

    const sideBySide = { open: (...told: Parameters<RealWorlds["open"]>) => worlds.open(...told), sideBySide: true };
    const seenFromOutside = (all: typeof stories) => all.filter(({ within }) => !within);
    tell(seenFromOutside(stories), [beside], { ...sideBySide, watch: protection.watchInvariants });

    // One policy stands for all four.
    const ofBoth = [...documentList, ...orphaning].filter(({ title }) => title.startsWith(both));
    tell(seenFromOutside([...ofBoth, ...holes, ...bequeathing, ...gracePeriods]), [whole], {
      ...sideBySide,
      watch: retention.watchInvariants,
    });
  },
);
