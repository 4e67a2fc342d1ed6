import { describe } from "vitest";
import { watchInvariants } from "../scenarios/pvc-retention/invariants.ts";
import { scenarios } from "../scenarios/pvc-retention/scenarios.ts";
import { admitted, byDefault } from "../scenarios/pvc-retention/settings.ts";
import { runScenarios } from "../scenarios/run-scenarios.ts";
import { backendOnNewPlane } from "./open-backend.ts";
import { ownCluster } from "./own-cluster.ts";
import { share } from "./share.ts";

const cluster = ownCluster;
const assets = cluster?.assets;

/** Real time is dear: every scenario is run as installed by default, or where its setting makes the difference. */
const quick = scenarios.filter(({ takes }) => takes === undefined);
const isRunIn = (setting: typeof byDefault) =>
  share(quick).filter(({ settings }) => settings?.includes(setting) ?? setting === byDefault);

describe.skipIf(!assets)("PVC retention on a real control plane", () => {
  if (!assets) return;
  // The suite's own control plane guards owner references, for which no function of ours has the right.
  const runner = { open: backendOnNewPlane(assets).open, watch: watchInvariants, sideBySide: true };
  runScenarios(isRunIn(byDefault), [byDefault], runner);
  runScenarios(isRunIn(admitted), [admitted], runner);
});
