import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { imageNames } from "../../../esbuild.config.mjs";
import { realServer } from "../../harness/real-server.ts";
import { root } from "../../manifests/kustomization.ts";
import { kubectl, run } from "../kubectl.ts";
import { ownCluster } from "../own-cluster.ts";
import { checkThatItWorks } from "./check-that-it-works.ts";
import { createInstalls } from "./installs.ts";
import { blocksBelow, scriptOf } from "./page.ts";
import { openWalk, type Walk } from "./walk.ts";

const page = "docs/gitops.md";
const digest = `sha256:${"0".repeat(64)}`;
const cluster = ownCluster;
const { HOLDFAST_KNATIVE_CRDS: definitions } = process.env;
const ready = Boolean(cluster?.assets && kubectl && definitions);
if (cluster && !ready)
  console.log(
    `${page} is not walked: that takes kubectl in KUBEBUILDER_ASSETS and Knative's definitions in ` +
      "HOLDFAST_KNATIVE_CRDS.",
  );

/** The kinds that say what the two tools apply: [plural, kind, group, version]. */
const toolKinds = [
  ["gitrepositories", "GitRepository", "source.toolkit.fluxcd.io", "v1"],
  ["kustomizations", "Kustomization", "kustomize.toolkit.fluxcd.io", "v1"],
  ["applications", "Application", "argoproj.io", "v1alpha1"],
] as const;
const namespaces = ["flux-system", "argocd"];

const definitionsOfTools = toolKinds.map(([plural, kind, group, name]) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural, kind, singular: kind.toLowerCase() },
    versions: [
      {
        name,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
}));

describe.skipIf(!ready)(`${page} walked on a real control plane`, { timeout: 600_000 }, () => {
  if (!cluster) return;
  const { kubeconfig } = cluster;
  const server = realServer(kubeconfig, { throwaway: true });
  const installs = createInstalls(server, kubeconfig, definitions ?? "");
  const folder = mkdtempSync(join(tmpdir(), "walk-gitops-"));
  let walk: Walk;
  const read = (name: string, path: string) => run(["get", ...name.split(" "), "-o", `jsonpath={${path}}`], kubeconfig);
  const installed = () => run(["-n", "holdfast", "get", "ksvc,serviceaccounts", "-o", "name"], kubeconfig);
  const apply = (path: string) => walk.run(`kubectl apply --server-side -k ${path}`);

  beforeAll(async () => {
    const pushed = imageNames().map((name: string) => `echo registry.example/holdfast/${name}@${digest}`);
    const check = `${process.execPath} ${join(root, "build/resolve/main.ts")} resolve --check -f -`;
    walk = openWalk(folder, kubeconfig, {
      texts: [["\u0000", ""]],
      commands: {
        npm: `case "$*" in
  ci) ;;
  "run --silent image -- --repo registry.example/holdfast --push")
    ${pushed.join("\n    ")} ;;
  "run --silent holdfast -- "*) shift 4; exec ${process.execPath} ${join(root, "cli/main.ts")} "$@" ;;
  "run --silent resolve -- --check -f -") exec ${check} ;;
  *) echo "npm $* is not part of this walk" >&2; exit 1 ;;
esac`,
      },
    });
    const list = { apiVersion: "v1", kind: "List", items: definitionsOfTools };
    run(["apply", "-f", "-"], kubeconfig, JSON.stringify(list));
    for (const namespace of namespaces) run(["create", "namespace", namespace], kubeconfig);
    const names = definitionsOfTools.map(({ metadata }) => `crd/${metadata.name}`);
    run(["wait", "--for=condition=established", ...names, "--timeout=60s"], kubeconfig);
    await walk.run(scriptOf(blocksBelow(page, "From nothing to done")));
  });
  afterAll(() => {
    run(["delete", "crd", ...definitionsOfTools.map(({ metadata }) => metadata.name)], kubeconfig);
    run(["delete", "namespace", ...namespaces], kubeconfig);
    rmSync(folder, { recursive: true });
  });

  test("Flux's Kustomizations, applied in their order, install the default with its images", async () => {
    await installs.begin("With Knative");
    const kind = "kustomization.kustomize.toolkit.fluxcd.io -n flux-system";
    const first = read(`${kind} holdfast`, ".spec.dependsOn[0].name");
    await apply(read(`${kind} ${first}`, ".spec.path"));
    expect(installed()).toContain("serviceaccount/pvc-protection-release");
    expect(installed()).not.toContain("service.serving.knative.dev");
    await apply(read(`${kind} holdfast`, ".spec.path"));
    expect(installed()).toContain("service.serving.knative.dev/undelete-retain");
    const images = read("ksvc -n holdfast", ".items[*].spec.template.spec.containers[0].image").split(" ");
    expect(images).toContain(`registry.example/holdfast/pvc-protection/release@${digest}`);
    expect(images.filter((image) => image.startsWith("fn:"))).toEqual([]);
    // The page leads there for the check.
    await checkThatItWorks(walk, server, kubeconfig, "docs/install-knative.md", false);
    await installs.end();
  });

  test("Argo CD's Application, applied, is the same, with the accounts in an earlier wave", async () => {
    await installs.begin("With Knative");
    await apply(read("application -n argocd holdfast", ".spec.source.path"));
    const wave = ".metadata.annotations['argocd\\.argoproj\\.io/sync-wave']";
    expect(read("serviceaccount -n holdfast undelete-retain", wave)).toBe("-1");
    expect(read("ksvc -n holdfast undelete-retain", wave)).toBe("");
    await installs.end();
  });
});
