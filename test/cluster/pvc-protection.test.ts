import { describe } from "vitest";
import { watchInvariants } from "../scenarios/pvc-protection/invariants.ts";
import { scenarios } from "../scenarios/pvc-protection/scenarios.ts";
import { settings } from "../scenarios/pvc-protection/settings.ts";
import { runScenarios } from "../scenarios/run-scenarios.ts";
import { backendOnCluster, backendOnNewPlane } from "./open-backend.ts";
import { ownCluster } from "./own-cluster.ts";
import { share } from "./share.ts";

const cluster = ownCluster;
const quick = share(scenarios.filter(({ takes }) => takes === undefined));

describe.skipIf(!cluster)("PVC protection on a real control plane", () => {
  if (!cluster) return;
  const { open } = backendOnCluster(cluster);

  const beside = settings.filter(({ inTree }) => inTree);
  runScenarios(quick, beside, {
    open,
    watch: watchInvariants,
    sideBySide: true,
  });
});

const assets = cluster?.assets;

describe.skipIf(!assets)("PVC protection on a control plane without its own", () => {
  if (!assets) return;
  const inTree = "persistentvolumeclaim-protection-controller";
  const { open } = backendOnNewPlane(
    assets,
    { controllers: `*,-${inTree}`, disableAdmission: ["StorageObjectInUseProtection"] },
    [`-${inTree}`],
  );

  const alone = settings.filter(({ inTree }) => !inTree);
  runScenarios(quick, alone, { open, watch: watchInvariants, sideBySide: true });
});
