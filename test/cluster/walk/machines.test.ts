import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { preDrainHook, preTerminateHook } from "../../../functions/satellite/lib/machine.ts";
import { kubectl, run } from "../kubectl.ts";
import { ownCluster } from "../own-cluster.ts";
import { blocksBelow, scriptOf } from "./page.ts";
import { openWalk, type Walk } from "./walk.ts";

const page = "docs/satellites.md";

/** As little of Cluster API's definition as `kubectl get` needs. */
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "machines.cluster.x-k8s.io", annotations: { "api-approved.kubernetes.io": "unapproved, a test" } },
  spec: {
    group: "cluster.x-k8s.io",
    names: { kind: "Machine", plural: "machines", singular: "machine" },
    scope: "Namespaced",
    versions: [{ name: "v1beta2", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};
const machine = (name: string, annotations: Record<string, string>) => ({
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: "Machine",
  metadata: { name, namespace: "default", annotations },
});

describe.skipIf(!ownCluster || !kubectl)(`${page}: Machines, on a real control plane`, () => {
  if (!ownCluster) return;
  const { kubeconfig } = ownCluster;
  const folder = mkdtempSync(join(tmpdir(), "walk-machines-"));
  const create = (object: object) => run(["create", "-f", "-"], kubeconfig, JSON.stringify(object));
  let walk: Walk;

  beforeAll(() => {
    create(definition);
    run(["wait", "--for=condition=established", "crd", definition.metadata.name, "--timeout=60s"], kubeconfig);
    walk = openWalk(folder, kubeconfig, { texts: [["\u0000", ""]], commands: {} });
  });
  afterAll(() => {
    run(["delete", "crd", definition.metadata.name], kubeconfig);
    run(["delete", "clusterrole", "holdfast-machines", "--ignore-not-found"], kubeconfig);
    rmSync(folder, { recursive: true });
  });

  test("the check after the install shows which Machine has no hooks", async () => {
    create(machine("held", { [preDrainHook]: "", [preTerminateHook]: "" }));
    create(machine("not-held", {}));
    const commands = blocksBelow(page, "With Cluster API").filter(({ language }) => language === "sh");
    const said = await walk.run(scriptOf(commands));
    expect(said).toMatch(/^default +held +<none> *$/m);
    expect(said).toMatch(/^default +not-held +<none> +<none> +<none> *$/m);
  });

  test.for(["With Knative", "Without Knative"])(
    "%s: the patch names the kubeconfig of the other cluster",
    async (way) => {
      const [patch, role] = blocksBelow(page, "Machines on another cluster").map(({ text }) => text);
      const [overlay] = blocksBelow(page, "2. The functions").filter(({ intro }) => intro === `${way}:`);
      if (!overlay || !patch || !role) throw new Error("The page has no such overlay, patch or role.");
      const patched = overlay.text.replace(/^patches:\n(.|\n)*/m, () => patch);
      await walk.run(scriptOf([{ ...overlay, text: patched }]));
      const built = await walk.run("kubectl kustomize my-overlay");
      expect(built).toContain("  CLUSTER_API_KUBECONFIG: /etc/holdfast/cluster-api/value\n");
      expect(built).toContain("  LINSTOR_URL: https://linstor-controller.piraeus-datastore.svc:3371\n");
      run(["apply", "-f", "-"], kubeconfig, role);
    },
  );
});
