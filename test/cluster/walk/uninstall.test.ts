import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { realServer } from "../../harness/real-server.ts";
import { kubectl, run } from "../kubectl.ts";
import { makeNamespace } from "../make-namespace.ts";
import { ownCluster } from "../own-cluster.ts";
import { createInstalls, inWay } from "./installs.ts";
import { blocksBelow, scriptOf } from "./page.ts";
import { openWalk, type Walk } from "./walk.ts";

const cluster = ownCluster;
const { HOLDFAST_KNATIVE_CRDS: definitions } = process.env;
const ready = Boolean(cluster?.assets && kubectl && definitions);
if (cluster && !ready)
  console.log(
    "The guides to upgrade and uninstall are not walked: that takes kubectl in KUBEBUILDER_ASSETS and Knative's " +
      "definitions in HOLDFAST_KNATIVE_CRDS.",
  );

const page = "docs/uninstall.md";
const namespace = "walk-uninstall";
const finalizer = "holdfast.dev/pvc-protection";
const keep = "holdfast.dev/keep-volume-for";
const claim = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data", namespace, annotations: { [keep]: "24h" } },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
} as unknown as KubernetesObject;

/** The command asks before it begins, and no person is here to answer. */
const answered = ["npm run holdfast -- uninstall  ", "npm run holdfast -- uninstall --yes  "] as const;

describe.skipIf(!ready)("the guides to upgrade and uninstall, on a real control plane", { timeout: 600_000 }, () => {
  if (!cluster) return;
  const { kubeconfig } = cluster;
  const server = realServer(kubeconfig, { throwaway: true });
  const { admin, eventually } = server;
  const installs = createInstalls(server, kubeconfig, definitions ?? "");
  const folder = mkdtempSync(join(tmpdir(), "walk-uninstall-"));
  const commandsBelow = (of: string, heading: string) =>
    scriptOf(blocksBelow(of, heading).filter(({ language }) => language === "sh"));
  const read = () => admin.get<KubernetesObject>(PersistentVolumeClaim, namespace, "data");
  let walk: Walk;

  beforeAll(async () => {
    walk = openWalk(folder, kubeconfig, { texts: [answered], commands: {} });
    await installs.begin("With Knative");
    // No image is built here, and no function runs.
    const blocks = blocksBelow("docs/install-knative.md", "Install").filter(
      ({ text }) => !/--check|holdfast -- status/.test(text),
    );
    await walk.run(scriptOf(inWay("With Knative", blocks)));
    makeNamespace(namespace, kubeconfig);
  });
  afterAll(async () => {
    run(["delete", "namespace", namespace, "--wait=false"], kubeconfig);
    await installs.end();
    rmSync(folder, { recursive: true });
  });

  test("docs/upgrade.md: nothing differs from the version that is installed", async () => {
    // Of a version that had one more.
    const removed = {
      apiVersion: "serving.knative.dev/v1",
      kind: "Service",
      metadata: { name: "removed", namespace: "holdfast", labels: { "app.kubernetes.io/part-of": "holdfast" } },
    };
    run(["create", "-f", "-"], kubeconfig, JSON.stringify(removed));
    // It fails if anything differs.
    const said = await walk.run(commandsBelow("docs/upgrade.md", "The whole installation"));
    expect(said.match(/^\w+\.(serving|eventing)\.knative\.dev\/.*$/gm)).toEqual([
      "service.serving.knative.dev/removed",
    ]);
    run(["delete", "-n", "holdfast", "services.serving.knative.dev", "removed"], kubeconfig);
    await walk.run(commandsBelow("docs/upgrade.md", "To 0.2.0"));
  });

  test(`${page}: the commands remove Holdfast, and show what is left`, async () => {
    await eventually("the policy of the install is in force", async () => {
      const made = await admin.create(PersistentVolumeClaim, claim);
      if (made.metadata.finalizers?.includes(finalizer)) return true;
      await admin.delete(PersistentVolumeClaim, namespace, "data");
      return false;
    });
    // Of a person: with it, the namespace stays.
    run(["-n", "holdfast", "create", "secret", "generic", "holdfast-salt"], kubeconfig);

    // Step 2 of "Before you uninstall" leads there.
    await walk.run(commandsBelow("docs/undelete.md", "Uninstall"));
    expect((await read())?.metadata).not.toHaveProperty(["annotations", keep]);
    const said = await walk.run(commandsBelow(page, "In short"));
    expect(said).toContain("Nothing is in the way.");
    const after = await read();
    expect(after?.metadata.deletionTimestamp).toBeUndefined();
    expect(after?.metadata.finalizers).not.toContain(finalizer);

    const left = await walk.run(commandsBelow(page, "Check that nothing is left"));
    expect(left).toContain("Nothing of Holdfast is left to remove.");
    expect(left.match(/^No resources found$/gm)).toHaveLength(3);
    expect(left).toMatch(/^holdfast +Active/m);
    expect(left).toContain('secret "holdfast-salt" deleted');
    expect(run(["get", "namespace", "holdfast", "--ignore-not-found"], kubeconfig)).toBe("");
  });
});
