import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { defaultFeatures } from "../../../eventing/features.ts";
import { readTrigger } from "../../../eventing/manifest/trigger.ts";
import { readPolicy } from "../../../functions/pvc-retention/lib/policy.ts";
import { readService } from "../../../local/serving/plan.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { ofKind } from "../../manifests/schemas/schemas.ts";
import { kubectl } from "../kubectl.ts";
import { build, buildOverlay, environmentOf, eventOf, namesOf, sorted, sweepRows } from "./build.ts";

describe.skipIf(!kubectl)("the examples", () => {
  test("document-mode sets the mode and adds the Triggers that it needs", () => {
    const objects = build("knative/examples/document-mode");
    expect(environmentOf("pvc-protection-release", objects)).toMatchObject({ MODE: "document", IN_TREE: "overruled" });
    expect(namesOf("Trigger", objects)).toContain("pvc-protection-release-workloads-pod-updates");
  });

  test.each([
    ["selected-claims", "knative"],
    ["excluded-namespace", "knative"],
    ["excluded-namespace-no-knative", "knative/overlays/no-knative"],
  ])("%s says the same to policy, protect and sweep", (example, whole) => {
    const objects = build(`knative/examples/${example}`);
    const [binding] = ofKind("MutatingAdmissionPolicyBinding", objects);
    const { namespaceSelector, objectSelector } = binding?.spec.matchResources ?? {};
    const { SELECTOR, EXCLUDED_NAMESPACES } = environmentOf("pvc-protection-protect", objects);
    expect(objectSelector?.matchLabels).toEqual(SELECTOR ? Object.fromEntries([SELECTOR.split("=")]) : undefined);
    expect(namespaceSelector?.matchExpressions?.[0]?.values).toEqual(EXCLUDED_NAMESPACES?.split(","));
    const [protect, ...others] = sweepRows(objects);
    const [usual, ...rest] = sweepRows(build(whole));
    const excludedNamespaces = EXCLUDED_NAMESPACES?.split(",");
    expect(protect).toEqual({ ...usual, ...(SELECTOR ? { labelSelector: SELECTOR } : {}), excludedNamespaces });
    expect(excludedNamespaces).toContain("ci");
    expect(others).toEqual(rest);
    // An install that is moved to another namespace takes its brokers along. Without Knative it cannot be moved.
    const tables = ofKind("ConfigMap", objects).map(({ data }) => data["table.yaml"] ?? "");
    expect(tables.some((table) => table.includes("/holdfast/"))).toBe(whole !== "knative");
  });

  test.each([
    ["undelete-claims", "v1", "PersistentVolumeClaim"],
    ["undelete-namespaces", "v1", "Namespace"],
    ["undelete-classes", "storage.k8s.io/v1", "StorageClass"],
  ])("%s says it on that kind alone", (component, apiVersion, kind) => {
    const named = {
      apiVersion,
      kind,
      metadata: { name: "data", ...(kind.endsWith("Claim") ? { namespace: "shop" } : {}) },
    };
    const other = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "data", namespace: "shop" } };
    const objects = [named, other] as KubernetesObject[];
    const built = buildOverlay({ objects, resources: [], components: [`knative/examples/${component}`] });
    const annotationsOf = (wanted: string) => built.find((object) => object.kind === wanted)?.metadata.annotations;
    expect(annotationsOf(kind)).toEqual({ "holdfast.dev/keep-volume-for": "24h" });
    expect(annotationsOf("ConfigMap")).toBeUndefined();
  });

  test("egress-addresses leaves no function a port that is open to every address", () => {
    const policies = ofKind("NetworkPolicy", build("knative/examples/egress-addresses"));
    const rules = policies.flatMap(({ spec }) => spec.egress ?? []);
    expect(rules.length).toBeGreaterThan(5);
    expect(rules.filter(({ to }) => !to)).toEqual([]);
    expect(policies.find(({ metadata }) => metadata.name === "functions")?.spec.egress?.[1]).toEqual({
      to: ["192.0.2.10/32", "192.0.2.11/32"].map((cidr) => ({ ipBlock: { cidr } })),
      ports: [{ port: 443 }, { port: 6443 }],
    });
  });

  test("retention-default gives namespaces a policy, and leaves other objects as they are", () => {
    const metadata = { namespace: "shop", name: "web", annotations: { "example.com/a": "b" } };
    const objects = [
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
      { apiVersion: "apps/v1", kind: "StatefulSet", metadata, spec: { replicas: 3 } },
      { apiVersion: "v1", kind: "ConfigMap", metadata },
    ] as KubernetesObject[];
    const built = buildOverlay({ objects, resources: [], components: ["knative/examples/retention-default"] });
    const find = (kind: string) => built.find((object) => object.kind === kind)!;
    expect([find("StatefulSet"), find("ConfigMap")]).toEqual(objects.slice(1));
    expect(readPolicy(find("StatefulSet"), find("Namespace"))?.name).toBe("DeleteOnScaledownAndStatefulSetDeletion");
  });

  test("images leaves no placeholder", () => {
    const objects = build("knative/examples/images");
    const images = ofKind("Service", objects).map(({ spec }) => spec.template.spec.containers[0].image);
    expect(images.filter((image) => image.startsWith("fn://"))).toEqual([]);
    expect(new Set(images).size).toBe(images.length);
  });

  test("function-off has nothing left that would trigger warn", () => {
    const objects = build("knative/examples/function-off");
    expect(namesOf("Service", objects)).not.toContain("pvc-protection-warn");
    expect(namesOf("Trigger", objects).filter((name) => name.startsWith("pvc-protection-warn"))).toEqual([]);
    expect(namesOf("Trigger", objects)).toContain("pvc-protection-release-storage");
  });

  test("sweep-schedule, min-scale and one-image change one thing each", () => {
    const example = (name: string) => build(`knative/examples/${name}`);
    const differences = (objects: readonly KubernetesObject[], from: readonly KubernetesObject[]) =>
      sorted(objects).filter((object, index) => !isDeepStrictEqual(object, sorted(from)[index]));
    const standard = build("knative");

    const [sweep, ping, ...noMore] = differences(example("sweep-schedule"), standard);
    expect([ping?.spec, noMore]).toMatchObject([{ schedule: "* * * * *" }, []]);
    // A tick is over before the next one comes.
    expect(environmentOf(sweep?.metadata.name ?? "", example("sweep-schedule"))).toMatchObject({ TICK: "55" });
    const [warm, ...nothing] = differences(example("min-scale"), standard);
    expect([warm?.metadata.name, nothing]).toEqual(["pvc-protection-release", []]);
    expect(JSON.stringify(warm)).toContain('"autoscaling.knative.dev/min-scale":"1"');
    const [rolled, ...others] = differences(example("one-image"), example("images"));
    expect([rolled?.metadata.name, others]).toEqual(["pvc-protection-release", []]);
  });

  test("mend-channels permits the sweep to delete channels, and switches that on", () => {
    const objects = buildOverlay({ components: ["knative/platform/mend-channels"] });
    expect(environmentOf("platform-sweep", objects)).toMatchObject({ STALE_CHANNELS: "mend" });
    const role = ofKind("Role", objects).find(({ metadata }) => metadata.name === "platform-sweep-mend-channels");
    expect(role?.rules).toEqual([
      { apiGroups: ["messaging.knative.dev"], resources: ["inmemorychannels"], verbs: ["delete"] },
    ]);
  });

  test("canary leads the events of one namespace to a tag, and all others to the revision before", () => {
    const objects = build("knative/examples/canary");
    const service = objects.find(
      ({ kind, metadata }) => kind === "Service" && metadata.name === "pvc-protection-release",
    );
    const { traffic, revision } = readService(service as KubernetesObject);
    expect(traffic).toEqual([
      { revisionName: "pvc-protection-release-a", percent: 100 },
      { revisionName: revision, tag: "canary", percent: 0 },
    ]);
    const standard = ofKind("Trigger", build("knative")).filter(
      ({ spec }) => spec.subscriber.ref?.name === service?.metadata.name,
    );
    expect(standard.length).toBeGreaterThan(1);
    const triggers = objects
      .filter(({ kind }) => kind === "Trigger")
      .map((object) => readTrigger(object, defaultFeatures));
    for (const { metadata, spec } of standard) {
      const event = firstOf(spec);
      const takers = (namespace: string) =>
        triggers.filter(
          ({ filter, name }) => name.startsWith("pvc-protection-release") && filter({ ...event, namespace }),
        );
      expect(takers("shop").map(({ name }) => name)).toEqual([metadata.name]);
      expect(takers("staging").map(({ subscriber }) => subscriber)).toEqual([
        { uri: "http://canary-pvc-protection-release.holdfast.svc.cluster.local" },
      ]);
    }
  });

  test("other-namespaces keeps changes in two namespaces away, and no event of the sweep", () => {
    const triggers = build("knative/examples/other-namespaces").filter(
      ({ kind, metadata }) => kind === "Trigger" && metadata.labels?.["app.kubernetes.io/name"] === "pvc-protection",
    );
    expect(triggers.length).toBeGreaterThan(2);
    for (const trigger of triggers) {
      const { filter } = readTrigger(trigger, defaultFeatures);
      const passes = (namespace: string) => filter({ ...firstOf(trigger.spec), namespace });
      expect(["ci", "scratch", "shop"].map(passes)).toEqual([false, false, true]);
    }
    // A claim there that has the finalizer is released by the sweep alone.
    const swept = { ...eventOf("dev.holdfast.sweep", "v1", "PersistentVolumeClaim"), namespace: "ci" };
    const takers = triggers.filter((trigger) => readTrigger(trigger, defaultFeatures).filter(swept));
    expect(takers.map(({ metadata }) => metadata.name)).toContain("pvc-protection-release-storage");
  });

  test("labelled-claims selects at the source", () => {
    const sources = ofKind("ApiServerSource", build("knative/examples/labelled-claims"));
    const selectors = sources.map(({ metadata, spec }) => [metadata.name, spec.resources[0]?.selector?.matchLabels]);
    expect(Object.fromEntries(selectors)).toMatchObject({ storage: { storage: "keep" } });
    expect(selectors.filter(([, labels]) => labels)).toHaveLength(1);
  });
});

/** An event that the first `exact` of some filters lets through. */
function firstOf(spec: unknown) {
  const exact = JSON.parse(JSON.stringify(spec, ["filters", "any", "exact", "type", "apiversion", "kind"])).filters[0];
  const { type, apiversion, kind } = (exact.any?.[0] ?? exact).exact;
  return eventOf(type, apiversion, kind);
}
