import { afterAll, describe, test } from "vitest";
import { hasBrowser } from "../console/browser-path.ts";
import { runScenarios } from "../scenarios/run-scenarios.ts";
import { scenarios } from "../scenarios/volume/scenarios.ts";
import { realSalt, standInSalt } from "../scenarios/volume/settings.ts";
import { freePorts } from "./free-ports.ts";
import { backendOnCluster } from "./open-backend.ts";
import { ownCluster } from "./own-cluster.ts";
import { startSaltLab } from "./salt-lab.ts";
import { volumeInBrowser } from "./volume-in-browser.ts";

const cluster = ownCluster;
const [port = 24_000] = cluster ? await freePorts(1) : [];
const lab = cluster ? startSaltLab(port) : "There is no control plane.";
if (typeof lab === "string") console.log(`Volumes on a real Salt are skipped: ${lab}`);
else if (!hasBrowser) console.log("A Volume in the console is skipped: install chromium, or name one in CHROMIUM.");

describe.skipIf(!cluster)("Volumes on a real control plane", () => {
  if (!cluster) return;
  // Hooks that end something are called last to first: worlds end before the Salt that they ask.
  afterAll(() => {
    if (typeof lab !== "string") lab.stop();
  });
  const { open } = backendOnCluster(cluster);

  const real = typeof lab === "string" ? undefined : realSalt(lab.environment);

  // Each scenario beside the stand-in, and the same with real loop devices on a real Salt.
  runScenarios(scenarios, [standInSalt, ...(real ? [real] : [])], { open });

  test.skipIf(!real || !hasBrowser)("in the console, a Volume is created, and deleted again", async (context) => {
    if (!real) return;
    const world = await open(real, { whenOver: context.onTestFinished });
    await volumeInBrowser(world, cluster.kubeconfig);
  });
});
