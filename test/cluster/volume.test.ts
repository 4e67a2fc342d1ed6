import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { runStart } from "../../local/start/testing/run-start.ts";
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

  test.skipIf(typeof lab === "string")("npm start tours Volumes on the same Salt", { timeout: 300_000 }, async () => {
    if (typeof lab === "string") return;
    const { SALT_URL = "", SALT_USERNAME = "", HOLDFAST_CREDENTIALS = "" } = lab.environment;
    const account = ["--salt-user", SALT_USERNAME, "--salt-password-file", join(HOLDFAST_CREDENTIALS, "salt/password")];
    const temporary = mkdtempSync(join(tmpdir(), "tour-"));
    const { code, out, err } = await runStart(
      ["--tour-only", "--tour", "volume", "--salt", SALT_URL, ...account],
      temporary,
    );
    rmSync(temporary, { recursive: true });
    expect({ code, err }, out).toEqual({ code: 0, err: "" });
    expect(out).toContain("ok Volume holdfast-tour is gone");
  });
});
