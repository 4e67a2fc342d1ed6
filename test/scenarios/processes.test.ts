import { afterAll, beforeAll, describe } from "vitest";
import { processWorlds } from "../worlds/process-world.ts";
import type { RealWorlds } from "../worlds/real-world.ts";
import { bySweepsAlone } from "./by-sweeps-alone.ts";
import { clusterLife } from "./pvc-protection/cluster-life.ts";
import * as protection from "./pvc-protection/invariants.ts";
import { beside } from "./pvc-protection/settings.ts";
import { documentList } from "./pvc-retention/document-list.ts";
import { gracePeriods } from "./pvc-retention/grace.ts";
import * as retention from "./pvc-retention/invariants.ts";
import { orphaning } from "./pvc-retention/orphaning.ts";
import { both } from "./pvc-retention/policies.ts";
import { whole } from "./pvc-retention/settings.ts";
import { tell } from "./tell.ts";

// Real time is dear: the stories in which most of a cluster takes part stand for the others.
const ofBoth = [...documentList, ...orphaning].filter(({ title }) => title.startsWith(both));
const saved = gracePeriods.filter(({ title }) => title.startsWith("a claim is saved"));

describe("PVC protection and PVC retention by npm start", { timeout: 60_000 }, () => {
  let worlds: RealWorlds;
  beforeAll(async () => {
    worlds = await processWorlds(beside, { missing: ["kubelet"] });
  }, 180_000);
  afterAll(() => worlds?.stop(), 30_000);

  const sideBySide = { open: (...told: Parameters<RealWorlds["open"]>) => worlds.open(...told), sideBySide: true };
  const teller = { ...sideBySide, watch: protection.watchInvariants };
  tell(clusterLife, [beside], teller);
  tell([...ofBoth, ...saved], [whole], { ...sideBySide, watch: retention.watchInvariants });
  // Last, because the sources do not come back.
  const swept = bySweepsAlone(clusterLife, beside, 2_000);
  tell(swept.stories, [swept.setting], teller);
});
