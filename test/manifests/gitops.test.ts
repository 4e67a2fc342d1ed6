import { describe, expect, test } from "vitest";
import { statusKey } from "../../functions/platform/sweep/status.ts";
import { containersAsStored, containersOf } from "./as-stored.ts";
import { readKustomization } from "./kustomization.ts";
import { ofKind } from "./schemas/schemas.ts";

const { objects } = readKustomization("knative/overlays/default");

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
    // The one that dead letters are kept in is made by its function, and would be emptied at every sync.
    expect(names).toEqual(["holdfast-sweep"]);
  });
});
