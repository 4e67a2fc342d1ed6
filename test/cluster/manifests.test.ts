import { globSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { loadDeclared } from "../../build/manifests/declared.ts";
import { groupOf, type Kind } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { slug } from "../../shared/rule.ts";
import { holdfastProtection } from "../../shared/storage/protection.ts";
import { readKustomization, root } from "../manifests/kustomization.ts";
import { ofKind } from "../manifests/schemas.ts";
import { kubectl, run } from "./kubectl.ts";

const cluster = inject("cluster");
const { HOLDFAST_KNATIVE_CRDS: definitions } = process.env;
const ready = Boolean(cluster && kubectl && definitions);
if (cluster && !ready)
  console.log(
    "The manifests are not applied: that takes kubectl in KUBEBUILDER_ASSETS and Knative's definitions in HOLDFAST_KNATIVE_CRDS.",
  );

const functions = await loadDeclared(root);
const folder = (path: string) => join(root, path);

describe.skipIf(!ready)("the manifests on a real API server", () => {
  const call = (...options: string[]) => run(options, cluster?.kubeconfig);
  const apply = (path: string, ...options: string[]) =>
    call("apply", "--server-side", "--validate=strict", ...options, "-k", folder(path));
  const given = (object: object, ...options: string[]): KubernetesObject =>
    JSON.parse(run(["create", "-f", "-", "-o", "json", ...options], cluster?.kubeconfig, JSON.stringify(object)));

  beforeAll(() => {
    call("apply", "--server-side", "--recursive", "-f", definitions ?? "");
    call("wait", "--for=condition=established", "--all", "crd", "--timeout=60s");
    apply("knative");
  });
  afterAll(() => {
    call("delete", "--ignore-not-found", "--timeout=100s", "-k", folder("knative"));
    call("delete", "--ignore-not-found", "--recursive", "-f", definitions ?? "");
  });

  test("are what a second apply leaves as it is", () => {
    expect(call("diff", "--server-side", "-k", folder("knative"))).toBe("");
  });

  test.each([
    ...globSync("knative/examples/*", { cwd: root }),
    ...globSync("knative/pvc-protection/*/", { cwd: root }),
  ])("%s is taken with strict validation", (path) => {
    apply(path, "--dry-run=server", "--force-conflicts");
  });

  test.each(functions.map((declared) => [declared.name, declared] as const))(
    "the account of %s may do what it declares and nothing else",
    (name, { may }) => {
      const asks = [...new Set(functions.flatMap(({ may }) => may.map(({ resource }) => resource)))];
      for (const resource of asks)
        for (const verb of ["get", "list", "watch", "create", "update", "patch", "delete"])
          for (const namespace of ["holdfast", "default"]) {
            const declared = may.some(
              (permission) =>
                permission.resource === resource &&
                permission.verbs.some((granted) => granted === verb) &&
                (!permission.ownNamespace || namespace === "holdfast"),
            );
            const allowed = review({ verb, resource, namespace, account: slug(name) });
            expect([verb, resource.plural, namespace, allowed]).toEqual([verb, resource.plural, namespace, declared]);
          }
    },
  );

  function review(asked: { verb: string; resource: Kind; namespace: string; account: string }): boolean {
    const { verb, resource, namespace, account } = asked;
    const review = given({
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec: {
        user: `system:serviceaccount:holdfast:${account}`,
        resourceAttributes: { verb, group: groupOf(resource), resource: resource.plural, namespace },
      },
    });
    return (review.status as { allowed: boolean }).allowed;
  }

  test("the namespace takes the functions' containers, and none with fewer restrictions", () => {
    const services = ofKind("Service", readKustomization("knative").objects);
    for (const { metadata, spec } of services) {
      const [{ securityContext, resources }] = spec.template.spec.containers;
      const pod = (context?: object) => ({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: metadata.name, namespace: "holdfast" },
        spec: { containers: [{ name: "user-container", image: "none", resources, securityContext: context }] },
      });
      given(pod(securityContext), "--dry-run=server");
      expect(() => given(pod(), "--dry-run=server")).toThrow(/violates PodSecurity "restricted/);
    }
  });

  test("the admission policy adds its finalizer to those that are there", async () => {
    const policy = "knative/pvc-protection/admission-policy";
    const claim = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { generateName: "stamped-", namespace: "default", finalizers: ["example.com/mine"] },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    };
    const stamped = () => given(claim, "--dry-run=server").metadata.finalizers ?? [];
    apply(policy);
    try {
      // The API server takes a new policy up after a moment.
      await expect.poll(stamped, { timeout: 20_000 }).toContain(holdfastProtection);
      expect(stamped()).toContain("example.com/mine");
    } finally {
      call("delete", "-k", folder(policy));
    }
    await expect.poll(stamped, { timeout: 20_000 }).not.toContain(holdfastProtection);
  });
});
