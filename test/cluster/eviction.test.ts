import { afterAll, describe, expect } from "vitest";
import { drawn } from "../drawn.ts";
import { ofLocalDisks, scenarios } from "../scenarios/eviction/scenarios.ts";
import { realOpenStack, standInOpenStack } from "../scenarios/eviction/settings.ts";
import { runScenarios } from "../scenarios/run-scenarios.ts";
import { backendOnCluster } from "./open-backend.ts";
import { startOpenStackLab } from "./openstack/openstack-lab.ts";
import { ownCluster } from "./own-cluster.ts";

/** With HOLDFAST_OPENSTACK_CORE these, and two of the others, which are drawn: all take half an hour. */
const core = [
  "a compute node with three servers is deleted: they leave, live, and cold and confirmed, then pod and lock",
  "an L2 agent is updated under three dependents: all leave first, and all are back and enabled after it",
];
const isCore = process.env.HOLDFAST_OPENSTACK_CORE === "true";

const cluster = ownCluster;
const lab = cluster ? startOpenStackLab() : "There is no control plane.";
if (typeof lab === "string") console.log(`Evictions beside a real OpenStack are skipped: ${lab}`);

describe.skipIf(!cluster || typeof lab === "string")(
  "Evictions on a real control plane beside a real OpenStack",
  // Ends only what hangs: what waits for something fails by itself before, and says for what.
  { timeout: 1_200_000 },
  () => {
    if (!cluster || typeof lab === "string") return;
    // Hooks that end something are called last to first: worlds end before the OpenStack that they ask.
    afterAll(() => lab.stop());
    const all = scenarios.filter(({ settings }) => !settings?.includes(standInOpenStack));
    const others = all.filter(({ title }) => !core.includes(title));
    const picked = [0, Math.floor(others.length / 2)].map((from) => others[(drawn + from) % others.length]);
    const inBoth = isCore ? all.filter((one) => core.includes(one.title) || picked.includes(one)) : all;
    expect(inBoth.length).toBeGreaterThanOrEqual(core.length + 2);
    const onSharedDisks = inBoth.filter(({ title }) => !ofLocalDisks.includes(title));
    const onLocalDisks = inBoth.filter(({ title }) => ofLocalDisks.includes(title));
    const worlds = backendOnCluster(cluster);
    runScenarios(onSharedDisks, [realOpenStack(lab, { EVICTION_SHARED_STORAGE: "true" })], worlds);
    if (onLocalDisks.length > 0) runScenarios(onLocalDisks, [realOpenStack(lab)], worlds);
  },
);
