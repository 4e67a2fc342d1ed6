import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { isAlreadyExists } from "../../shared/kubernetes/api-error.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import { Pod } from "../../shared/kubernetes/kind.ts";
import { kubeconfigTransport } from "../../shared/kubernetes/kubeconfig-transport.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { Namespace, ServiceAccount } from "../harness/kinds.ts";
import { manifest } from "../harness/manifest.ts";
import { standard } from "../manifests/kustomization.ts";
import { ofKind } from "../manifests/schemas/schemas.ts";
import { kubectl, run } from "./kubectl.ts";
import { buildOverlay } from "./kustomize/build.ts";
import { ownCluster } from "./own-cluster.ts";
import { blocksBelow } from "./walk/page.ts";

const cluster = ownCluster;
const namespace = `holdfast-restricted-${process.pid}`;

type PodSpec = Record<string, unknown> & { containers: Record<string, unknown>[] };
interface CronJobSpec {
  readonly jobTemplate: { readonly spec: { readonly template: { readonly spec: PodSpec } } };
}

/** The pod that Knative would make of a Service's template, but for the proxy that it puts beside the function. */
function podOfService(template: { spec: object }): PodSpec {
  const { containerConcurrency: _, timeoutSeconds: __, containers, ...spec } = template.spec as PodSpec;
  const [{ readinessProbe: ___, livenessProbe, ...function_ }] = containers as [
    { readinessProbe: object; livenessProbe: { httpGet: object } },
  ];
  // Port 0 is that of the function; readiness is asked of it by the proxy.
  const probe = { ...livenessProbe, httpGet: { ...livenessProbe.httpGet, port: 8080 } };
  return { ...spec, containers: [{ ...function_, livenessProbe: probe }] };
}

describe.skipIf(!(cluster && kubectl))("Pod Security in the namespace of the functions", () => {
  if (!(cluster && kubectl)) return;
  const admin = createClient(kubeconfigTransport(cluster.kubeconfig));
  const withTokens = buildOverlay({ components: ["knative/components/oidc"] });
  const bare = buildOverlay({ resources: ["knative/overlays/no-knative"] });
  const [cronJob] = blocksBelow("docs/monitoring.md", "As a CronJob")
    .filter(({ language }) => language === "yaml")
    .map(({ text }) => parse(text) as KubernetesObject & { spec: CronJobSpec });
  const pods = new Map<string, PodSpec>([
    ["the CronJob of the page on monitoring", cronJob?.spec.jobTemplate.spec.template.spec as PodSpec],
    ...ofKind("Service", buildOverlay({ resources: [standard] })).map(
      ({ metadata, spec }) => [`${metadata.name} of the default`, podOfService(spec.template)] as const,
    ),
    ...ofKind("Service", withTokens).map(
      ({ metadata, spec }) => [`${metadata.name} with tokens`, podOfService(spec.template)] as const,
    ),
    ...ofKind("Deployment", bare).map(
      ({ metadata, spec }) => [`${metadata.name} without Knative`, spec.template.spec as unknown as PodSpec] as const,
    ),
  ]);

  const create = (spec: PodSpec) =>
    admin.create(Pod, manifest(Pod, { namespace, generateName: "restricted-" }, { spec }));

  beforeAll(async () => {
    const [shipped] = withTokens.filter(({ kind }) => kind === "Namespace") as [KubernetesObject];
    await admin.create(Namespace, manifest(Namespace, { name: namespace, labels: shipped.metadata.labels ?? {} }));
    const accounts = new Set([...pods.values()].map(({ serviceAccountName }) => String(serviceAccountName)));
    for (const name of accounts)
      await admin.create(ServiceAccount, manifest(ServiceAccount, { namespace, name })).catch((error) => {
        if (!isAlreadyExists(error)) throw error;
      });
  });
  afterAll(async () => {
    for await (const { metadata } of admin.list(Pod, { namespace }))
      await admin.delete(Pod, namespace, metadata.name, { gracePeriodSeconds: 0 });
    await admin.delete(Namespace, undefined, namespace);
  });

  test("takes the CronJob of the page on monitoring with strict validation", () => {
    const here = JSON.stringify({ ...cronJob, metadata: { ...cronJob?.metadata, namespace } });
    const options = ["--validate=strict", "--dry-run=server", "-f", "-"];
    expect(run(["create", ...options], cluster.kubeconfig, here)).toContain("cronjob.batch/holdfast-status created");
  });

  test.each([...pods])("takes the pod of %s", async (_, spec) => {
    const { metadata } = await create(spec);
    expect(metadata.uid).toBeTruthy();
  });

  test("takes none of them with a field of the security context less", async () => {
    const [spec] = pods.values() as unknown as [PodSpec];
    const [container] = spec.containers as [{ securityContext: Record<string, unknown> }];
    for (const field of ["runAsNonRoot", "allowPrivilegeEscalation", "capabilities", "seccompProfile"]) {
      const { [field]: _, ...securityContext } = container.securityContext;
      const weaker = { ...spec, containers: [{ ...container, securityContext }] };
      await expect(create(weaker), field).rejects.toThrow(/violates PodSecurity "restricted/);
    }
  });
});
