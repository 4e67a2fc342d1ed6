import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isEventing } from "../../../eventing/manifest/read-plan.ts";
import { readEventing } from "../../../eventing/read-eventing.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { ofKind } from "../../manifests/schemas/schemas.ts";
import { kubectl } from "../kubectl.ts";
import { build, buildOverlay, namesOf, sorted, sweepRows } from "./build.ts";

describe.skipIf(!kubectl)("the overlay no-knative", () => {
  const folder = "knative/overlays/no-knative";
  const bare = () => build(folder);

  test("asks for no kind of Knative's", () =>
    expect(bare().filter(({ apiVersion }) => apiVersion.includes("knative.dev"))).toEqual([]));

  test("runs every function with the image, the settings and the roles that it has with Knative", () => {
    const [without, standard] = [bare(), build("knative")];
    const services = ofKind("Service", standard);
    for (const { metadata, spec } of services) {
      const deployment = ofKind("Deployment", without).find((each) => each.metadata.name === metadata.name)?.spec
        .template.spec;
      const [{ image, env, resources, securityContext }] = spec.template.spec.containers;
      expect(deployment?.containers[0]).toMatchObject({ image, env, resources, securityContext });
      expect(deployment?.serviceAccountName).toBe(spec.template.spec.serviceAccountName);
    }
    const grants = (objects: readonly KubernetesObject[]) =>
      [...ofKind("ClusterRole", objects), ...ofKind("Role", objects)]
        .filter(({ metadata }) => !metadata.name.endsWith("-source"))
        .map(({ metadata, rules }) => [metadata.name, rules]);
    expect(grants(without)).toEqual(grants(standard));
    expect(namesOf("Deployment", without)).toEqual([...namesOf("Service", standard), "platform-source"].sort());
  });

  test("gives platform-source, as files, all that the default gives Knative, and the rights to watch it", () => {
    const [without, standard] = [bare(), build("knative")];
    const eventing = eventingOf(without);
    const specs = (objects: readonly KubernetesObject[]) =>
      sorted(objects.filter((object) => isEventing(object) && object.kind !== "Broker")).map(
        ({ kind, metadata, spec }) => [kind, metadata.name, spec],
      );
    expect(specs(eventing)).toEqual(specs(standard));
    expect(namesOf("Broker", eventing)).toEqual(namesOf("Broker", standard));
    const functions = ofKind("ClusterService", without).map(({ metadata }) => metadata.name);
    for (const { spec } of ofKind("Trigger", eventing)) expect(functions).toContain(spec.subscriber.ref?.name);
    const role = ofKind("ClusterRole", without).find(({ metadata }) => metadata.name === "holdfast-platform-source");
    const watched = ofKind("ApiServerSource", eventing).flatMap(({ spec }) => spec.resources.map(({ kind }) => kind));
    // Namespaces in any case: what watches all of them has to know when one comes or goes.
    expect(role?.rules).toHaveLength(new Set([...watched, "Namespace"]).size);
    for (const { verbs } of role?.rules ?? []) expect(verbs).toEqual(["list", "watch"]);
  });

  test("sends the sweep's events to platform-source, where it says that it is", () => {
    const objects = bare();
    const source = ofKind("Deployment", objects).find(({ metadata }) => metadata.name === "platform-source");
    const env = source?.spec.template.spec.containers[0].env ?? [];
    const { INGRESS } = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    expect(sweepRows(objects).length).toBeGreaterThan(1);
    for (const { sink } of sweepRows(objects)) expect(sink.startsWith(`${INGRESS}/holdfast/`)).toBe(true);
    const { hostname } = new URL(INGRESS ?? "");
    expect(namesOf("Service", objects).map((name) => `${name}.holdfast.svc`)).toContain(hostname);
  });

  const systems = [[["volume"]], [["eviction", "satellite"]]];
  test.each(systems)("takes the systems %j as components, whole and without Knative", (systems) => {
    const objects = buildOverlay({ resources: [folder], components: systems.map((system) => `${folder}/${system}`) });
    expect(objects.filter(({ apiVersion }) => apiVersion.includes("knative.dev"))).toEqual([]);
    const standard = buildOverlay({
      components: systems.flatMap((system) => [`knative/access/${system}`, `knative/${system}`]),
      resources: ["knative"],
    });
    expect(namesOf("Deployment", objects)).toEqual([...namesOf("Service", standard), "platform-source"].sort());
    const eventing = eventingOf(objects);
    expect(namesOf("Trigger", eventing)).toEqual(namesOf("Trigger", standard));
    expect(namesOf("Broker", eventing)).toEqual(namesOf("Broker", standard));
    const functions = ofKind("ClusterService", objects).map(({ metadata }) => metadata.name);
    for (const { spec } of ofKind("Trigger", eventing)) expect(functions).toContain(spec.subscriber.ref?.name);
    const roles = ofKind("ClusterRole", objects).filter(({ metadata }) =>
      metadata.name.startsWith("holdfast-platform-source"),
    );
    const listed = roles.flatMap(({ rules }) => rules.flatMap(({ resources }) => resources));
    const watched = ofKind("ApiServerSource", eventing).flatMap(({ spec }) => spec.resources.map(({ kind }) => kind));
    expect(new Set(listed).size).toBe(new Set([...watched, "Namespace"]).size);
    for (const { data } of objects as unknown as { data?: Record<string, string> }[])
      expect(data?.["table.yaml"] ?? "").not.toContain("knative-eventing");
  });

  test("takes an option as one more file", () => {
    const objects = buildOverlay({ resources: [folder], components: [`${folder}/pod-updates`] });
    expect(namesOf("Trigger", eventingOf(objects))).toContain("pvc-protection-release-workloads-pod-updates");
    const mounted = ofKind("Deployment", objects).flatMap(({ spec }) => spec.template.spec.volumes ?? []);
    const names = mounted.map((volume) => ("configMap" in volume ? volume.configMap.name : ""));
    expect(namesOf("ConfigMap", objects)).toContain(names[0]);
  });
});

/** What platform-source is given as files, read as it reads them. */
function eventingOf(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  const found = objects.find(
    ({ kind, metadata }) => kind === "ConfigMap" && metadata.name.startsWith("holdfast-eventing"),
  );
  const { data } = found as unknown as { data: Record<string, string> };
  const folder = mkdtempSync(join(tmpdir(), "holdfast-eventing-"));
  try {
    for (const [name, text] of Object.entries(data)) writeFileSync(join(folder, name), text);
    return readEventing(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
