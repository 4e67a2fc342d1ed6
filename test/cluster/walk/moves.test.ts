import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../../manifests/kustomization.ts";
import { kubectl, run } from "../kubectl.ts";
import { makeNamespace } from "../make-namespace.ts";
import { ownCluster } from "../own-cluster.ts";
import { blocksBelow, scriptOf } from "./page.ts";
import { openWalk, type Walk } from "./walk.ts";

const cluster = ownCluster;

/** An operator's Deployment. Its pods have no node here, and so they stay Pending. */
const operatorOf = (namespace: string, name: string, component: string) => {
  const labels = { "app.kubernetes.io/component": component };
  const containers = [{ name: "manager", image: "operator.example/manager" }];
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace, name },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
};
const piraeus = operatorOf("piraeus-datastore", "piraeus-operator-controller-manager", "piraeus-operator");
const metalk8s = operatorOf("kube-system", "storage-operator-controller-manager", "storage-operator");

/** Its webhook, whose service has no pod left: the API server refuses what it cannot ask about. */
const webhooks = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: "piraeus-operator-validating-webhook-configuration" },
  webhooks: ["linstorclusters", "linstorsatellites"].map((resource) => ({
    name: `${resource}.piraeus.example`,
    admissionReviewVersions: ["v1"],
    clientConfig: { service: { namespace: "piraeus-datastore", name: "piraeus-operator-webhook-service" } },
    failurePolicy: "Fail",
    rules: [
      { apiGroups: ["piraeus.io"], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: [resource] },
    ],
    sideEffects: "None",
  })),
};

describe.skipIf(!cluster || !kubectl)("the guides to move to Holdfast and back, on a real control plane", () => {
  if (!cluster) return;
  const { kubeconfig } = cluster;
  const folder = mkdtempSync(join(tmpdir(), "walk-moves-"));
  const definitions = ["satellite", "volume"].map((system) => join(root, `knative/access/${system}/definitions.yaml`));
  const apply = (object: object) => run(["apply", "-f", "-"], kubeconfig, JSON.stringify(object));
  const isRunning = ({ metadata: { namespace, name } }: typeof piraeus) =>
    run(["get", "deployment", "-n", namespace, name, "-o", "jsonpath={.spec.replicas}"], kubeconfig) === "1";
  let walk: Walk;

  beforeAll(() => {
    makeNamespace("piraeus-datastore", kubeconfig);
    for (const file of definitions) run(["apply", "--server-side", "-f", file], kubeconfig);
    run(["wait", "--for=condition=established", "--all", "crd", "--timeout=60s"], kubeconfig);
    for (const operator of [piraeus, metalk8s]) apply(operator);
    walk = openWalk(folder, kubeconfig, { texts: [["\u0000", ""]], commands: {} });
  });
  afterAll(() => {
    for (const file of definitions) run(["delete", "-f", file], kubeconfig);
    for (const { metadata } of [piraeus, metalk8s])
      run(["delete", "deployment", "-n", metadata.namespace, metadata.name], kubeconfig);
    run(["delete", "validatingwebhookconfiguration", webhooks.metadata.name], kubeconfig);
    rmSync(folder, { recursive: true });
  });

  test("docs/satellites.md: piraeus-operator is stopped, the time recorded, and both taken back", async () => {
    const page = "docs/satellites.md";
    const cluster = { apiVersion: "piraeus.io/v1", kind: "LinstorCluster", metadata: { name: "linstorcluster" } };
    const recorded = "jsonpath={.metadata.annotations.holdfast\\.dev/satellites-handed-over}";
    const time = () => run(["get", "linstorcluster", "linstorcluster", "-o", recorded], kubeconfig);
    const policies = () =>
      run(["get", webhooks.kind, webhooks.metadata.name, "-o", "jsonpath={.webhooks[*].failurePolicy}"], kubeconfig);
    apply(cluster);
    apply(webhooks);
    const [move, look] = blocksBelow(page, "Move from piraeus-operator's own handling");
    await walk.run(scriptOf(move && look ? [move, look] : []));
    expect(time()).toMatch(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/);
    expect(isRunning(piraeus)).toBe(false);
    const kept = await walk.run(scriptOf(blocksBelow(page, "Keep the operator stopped")));
    expect(kept).toMatch(/^0$/m);
    expect(kept).toMatch(/^Ignore Ignore$/m);

    await walk.run(scriptOf(blocksBelow(page, "Where Piraeus' definitions are installed")));
    const built = await walk.run("kubectl kustomize my-overlay");
    expect(built).toContain("name: satellite-register");
    expect(built).not.toContain("kind: CustomResourceDefinition");

    await walk.run(scriptOf(blocksBelow(page, "And back")));
    expect(time()).toBe("");
    expect(isRunning(piraeus)).toBe(true);
    expect(policies()).toBe("Fail Fail");
  });

  test("docs/volumes.md: MetalK8s' operator is stopped, and started again", async () => {
    const page = "docs/volumes.md";
    const [move] = blocksBelow(page, "Move from MetalK8s' operator");
    await walk.run(scriptOf(move ? [move] : []));
    expect(isRunning(metalk8s)).toBe(false);
    await walk.run(scriptOf(blocksBelow(page, "Back to MetalK8s' operator")));
    expect(isRunning(metalk8s)).toBe(true);
  });
});
