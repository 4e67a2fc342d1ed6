import { afterAll, describe, inject } from "vitest";
import { scenarios } from "../scenarios/eviction/scenarios.ts";
import { realOpenStack, standInOpenStack } from "../scenarios/eviction/settings.ts";
import { runScenarios } from "../scenarios/run-scenarios.ts";
import { worldsOnCluster } from "./open-worlds.ts";
import { startOpenStackLab } from "./openstack-lab.ts";

const cluster = inject("cluster");
const lab = cluster ? startOpenStackLab() : "There is no control plane.";
if (typeof lab === "string") console.log(`Evictions beside a real OpenStack are skipped: ${lab}`);

describe.skipIf(!cluster || typeof lab === "string")(
  "Evictions on a real control plane beside a real OpenStack",
  () => {
    if (!cluster || typeof lab === "string") return;
    // Hooks that end something are called last to first: worlds end before the OpenStack that they ask.
    afterAll(() => lab.stop());
    const setting = realOpenStack(lab.environment, lab.under);
    const inBoth = scenarios.filter(({ settings }) => !settings?.includes(standInOpenStack));
    runScenarios(inBoth, [setting], worldsOnCluster(cluster));
  },
);
