import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { statusKey } from "../../functions/platform/lib/sweep-status.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { containersAsStored, containersOf } from "./as-stored.ts";
import { parseYaml, readKustomization, root } from "./kustomization.ts";
import { danglingReferences, identityOf } from "./references.ts";
import { ofKind } from "./schemas/schemas.ts";

const { objects } = readKustomization("knative/overlays/default");

describe("for tools that ask the API server about everything before they apply anything", () => {
  const access = readKustomization("knative/overlays/access").objects;
  const functions = readKustomization("knative/overlays/functions").objects;

  test(
    "the account of every function is there before its Service, and nothing that comes first needs what comes " +
      "later",
    () => {
      expect(danglingReferences(access)).toEqual([]);
      const accounts = new Set(ofKind("ServiceAccount", access).map(({ metadata }) => metadata.name));
      const services = ofKind("Service", functions);
      expect(services.length).toBeGreaterThan(2);
      for (const { spec } of services) expect(accounts).toContain(spec.template.spec.serviceAccountName);
      expect([...access, ...functions].map(identityOf).sort()).toEqual(objects.map(identityOf).sort());
    },
  );

  test("Flux applies the accounts first: the functions depend on them", () => {
    const flux = readKustomization("knative/examples/flux").objects;
    const [first, second, ...others] = ofKind("Kustomization", flux);
    expect(others).toEqual([]);
    expect(readKustomization(first?.spec.path ?? "").objects).toEqual(access);
    expect(readKustomization(second?.spec.path ?? "").objects).toEqual(functions);
    expect(second?.spec.dependsOn).toEqual([{ name: first?.metadata.name }]);
    const repositories = ofKind("GitRepository", flux).map(({ metadata }) => metadata.name);
    for (const { spec } of ofKind("Kustomization", flux)) expect(repositories).toEqual([spec.sourceRef.name]);
  });

  test("Argo CD finds the example where it lies", () => {
    const text = readFileSync(join(root, "knative/examples/argo-cd/application.yaml"), "utf8");
    const [application] = ofKind("Application", parseYaml(text, "application.yaml") as KubernetesObject[]);
    expect(application?.spec.source.path).toBe("knative/examples/argo-cd");
    expect(readKustomization("knative/examples/argo-cd").objects).toEqual(objects);
  });
});

// GitOps tools compare what was applied with what is there, and lists as a whole.
describe("for tools that keep a cluster at what a repository says", () => {
  const names = ofKind("Service", objects).map(({ metadata }) => metadata.name);

  test.each(names)("Knative's webhook changes nothing within the containers of %s", (name) => {
    const service = objects.find(({ kind, metadata }) => kind === "Service" && metadata.name === name);
    if (!service) throw new Error(`There is no Service ${name}.`);
    expect(containersAsStored(service)).toEqual(containersOf(service));
  });

  test("a container of which that is not true is seen", () => {
    const bare = { image: "a", env: [{ name: "EMPTY", value: "" }], livenessProbe: { httpGet: { path: "/" } } };
    const service = { apiVersion: "a", kind: "Service", metadata: { name: "a", uid: "1", resourceVersion: "1" } };
    const [stored] = containersAsStored({ ...service, spec: { template: { spec: { containers: [bare] } } } });
    expect(stored).toEqual({
      image: "a",
      name: "user-container",
      env: [{ name: "EMPTY" }],
      resources: {},
      readinessProbe: { successThreshold: 1, tcpSocket: { port: 0 } },
      livenessProbe: { httpGet: { path: "/", port: 0 } },
    });
  });

  test("no object says what functions or Knative write on it", () => {
    for (const { metadata } of objects) {
      const written = Object.keys(metadata.annotations ?? {}).filter(
        (key) => key === statusKey || /^(serving|eventing)\.knative\.dev\/(creator|lastModifier)$/.test(key),
      );
      expect([metadata.name, written]).toEqual([metadata.name, []]);
      expect(metadata).not.toHaveProperty("generateName");
    }
    const names = objects.flatMap(({ kind, metadata }) => (kind === "ConfigMap" ? [metadata.name] : []));
    // The one that dead-lettered events are kept in is made by its function, and would be emptied at every sync.
    expect(names.filter((name) => !name.startsWith("holdfast-sweep"))).toEqual([]);
  });
});
