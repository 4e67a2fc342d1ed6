import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { realServer } from "../../harness/real-server.ts";
import { kubectl, run } from "../kubectl.ts";
import { makeNamespace } from "../make-namespace.ts";
import { ownCluster } from "../own-cluster.ts";
import { checkThatItWorks, lookAtPolicies } from "./check-that-it-works.ts";
import { createInstalls, inWay } from "./installs.ts";
import { blocksBelow, scriptOf } from "./page.ts";
import { openWalk, type Walk } from "./walk.ts";

const cluster = ownCluster;
const { HOLDFAST_KNATIVE_CRDS: definitions } = process.env;
const ready = Boolean(cluster?.assets && kubectl && definitions);
if (cluster && !ready)
  console.log(
    "The guides to install are not walked: that takes kubectl in KUBEBUILDER_ASSETS and Knative's definitions in " +
      "HOLDFAST_KNATIVE_CRDS.",
  );

const [knative, oneSystem] = ["docs/install-knative.md", "docs/one-system.md"] as const;

/** Pages, the way that each installs, and what the last command of it asks for. */
const guides = [
  [knative, "With Knative", "ksvc"],
  [oneSystem, "With Knative", "ksvc"],
  ["docs/install-without-knative.md", "Without Knative", "deployments"],
  ["docs/eviction.md", "With Knative", "ksvc"],
] as const;

describe.skipIf(!ready)("the guides to install, on a real control plane", () => {
  if (!cluster) return;
  const server = realServer(cluster.kubeconfig, { throwaway: true });
  const installs = createInstalls(server, cluster.kubeconfig, definitions ?? "");
  const folder = mkdtempSync(join(tmpdir(), "walk-"));
  let walk: Walk;
  beforeAll(() => {
    walk = openWalk(folder, cluster.kubeconfig, { texts: [], commands: {} });
    // Of the agents: the guide takes it for granted, and Holdfast has Roles there.
    makeNamespace("yaook", cluster.kubeconfig);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(guides)("%s", async (page, way, kind) => {
    await installs.begin(way);
    // No image is built here: what looks for them is left out. What looks for functions comes when they are Ready.
    const blocks = blocksBelow(page, "Install").filter(({ text }) => !/--check|holdfast -- status/.test(text));
    await walk.run(`password=secret\n: > ca.crt\n${scriptOf(inWay(way, blocks))}`);
    const installed = run(["-n", "holdfast", "get", kind, "-o", "name"], cluster.kubeconfig);
    expect(installed).toContain("undelete-retain");
    expect(installed.includes("pvc-protection-release")).toBe(page !== oneSystem);
    expect(installed.includes("eviction-lock-node")).toBe(page === "docs/eviction.md");
    if (page === knative || page === oneSystem) {
      const said = await checkThatItWorks(walk, server, cluster.kubeconfig, page, page === knative);
      expect(said).toContain("undelete");
      if (page === knative) expect(said).toMatch(/walk-check +data +\[.*holdfast\.dev\/pvc-protection/);
    }
    if (page === oneSystem)
      expect(await lookAtPolicies(walk, cluster.kubeconfig)).toMatch(/shop +web +Retain +Retain +Retain/);
    await installs.end();
  });

  test("the addresses of the API server that a network policy has to allow", async () => {
    const page = "docs/who-may-do-what.md";
    const said = await walk.run(scriptOf(blocksBelow(page, "Addresses of the API server and of Salt")));
    expect(said).toMatch(/IPv4 +\d+ +\d/);
    expect(said).toMatch(/kubernetes +ClusterIP +10\.0\.0\.1/);
  });
});
