import { describe, inject } from "vitest";
import { missingControllers } from "../cluster/missing-controllers.ts";
import { guarded } from "../scenarios/pvc-retention/settings.ts";
import { processWorlds } from "../worlds/process-world.ts";
import { tellAll } from "./tell-all.ts";

const cluster = inject("cluster");

describe.skipIf(!cluster)("by npm start -- --kubeconfig on a real control plane", () => {
  if (!cluster) return;
  const { kubeconfig, assets } = cluster;
  const missing = missingControllers(cluster);
  // The suite's own control plane guards owner references.
  const start = (options: { bySweepsAlone: boolean }) =>
    processWorlds(guarded, { kubeconfig, missing, throwaway: assets !== undefined, ...options });
  tellAll(start, { functionsMayGo: true });
});
