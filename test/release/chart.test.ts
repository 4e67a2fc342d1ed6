import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { parseAllDocuments, parse as parseYaml } from "yaml";
import { loadDeclared, loadSystems } from "../../build/manifests/declared.ts";
import { chartOf } from "../../build/release/chart/chart.ts";
import { installation } from "../../build/release/chart/installations.ts";
import { overlaysOf } from "../../build/release/overlays.ts";
import { imageNames } from "../../esbuild.config.mjs";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { sameJson } from "../../shared/same-json.ts";
import { kubectlFolder } from "../images/testing/kubectl.ts";
import { helm, helmTemplate, writeChart } from "./helm.ts";

const root = join(import.meta.dirname, "../..");
const repository = "registry.example/holdfast";
const digests = new Map(imageNames().map((name, index) => [name, `sha256:${String(index).padStart(64, "0")}`]));
const flags = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, true]));
const noSystems = { "pvc-protection": false, "pvc-retention": false, undelete: false };
const without = (...parts: readonly string[]) => parts.map((part) => `overlays/no-knative/${part}`);

/** An installation by the chart's values, and the same by an overlay and further components. */
const installations: readonly (readonly [string, object, string, readonly string[]])[] = [
  ["default", {}, "default", []],
  ["platform", { systems: noSystems }, "platform", []],
  [
    "admission-policies",
    { options: flags("pvc-protection/admission-policy", "pvc-retention/admission-policy") },
    "admission-policies",
    [],
  ],
  ["console", { options: flags("platform/console") }, "console", []],
  ["eviction", { systems: flags("eviction") }, "eviction", []],
  ["satellite", { systems: flags("satellite") }, "satellite", []],
  ["volume", { systems: flags("volume") }, "volume", []],
  ["kafka", { components: flags("kafka", "kafka-ordered") }, "kafka", []],
  ["oidc", { components: flags("oidc") }, "oidc", []],
  ["source-filters", { components: flags("source-filters") }, "source-filters", []],
  ["no-knative", { knative: false }, "no-knative", []],
  [
    "no-knative with much",
    {
      knative: false,
      systems: flags("eviction", "volume"),
      options: flags("pvc-protection/claim-adds", "pvc-protection/pod-updates"),
      components: flags("network-policy"),
    },
    "no-knative",
    without("claim-adds", "pod-updates", "eviction", "volume", "network-policy"),
  ],
  ["no-knative with satellites", { knative: false, systems: flags("satellite") }, "no-knative", without("satellite")],
  [
    "much of what may be together",
    {
      systems: flags("satellite", "volume"),
      options: flags(
        ...["satellite/admission-policy", "satellite/cluster-api", "platform/mend-channels"],
        ...["pvc-protection/claim-adds", "pvc-protection/pod-updates"],
      ),
      components: flags("oidc", "source-filters", "network-policy", "kafka"),
    },
    "default",
    [
      ...["access/satellite", "satellite", "access/volume", "volume", "satellite/admission-policy"],
      ...["satellite/cluster-api", "pvc-protection/claim-adds", "pvc-protection/pod-updates", "platform/mend-channels"],
      ...["kafka", "oidc", "oidc/volume", "oidc/satellite", "source-filters", "source-filters/claim-adds"].map(
        inComponents,
      ),
      ...["source-filters/pod-updates", "source-filters/satellite", "source-filters/volume"].map(inComponents),
      "components/network-policy",
    ],
  ],
];

function inComponents(path: string): string {
  return `components/${path}`;
}

test("every overlay has its values", () => {
  // The halves of the default, for tools that apply it in two stages, are for kustomize alone.
  const halves = ["access", "functions"];
  expect(new Set([...installations.map(([, , overlay]) => overlay), ...halves])).toEqual(new Set(overlaysOf(root)));
});

const possible = Boolean(helm && kubectlFolder);
if (!possible) console.log("The chart is not held against its overlays: that takes helm and kubectl.");

describe.skipIf(!possible)("the chart", () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-chart-"));
  beforeAll(async () => {
    vi.stubEnv("PATH", `${kubectlFolder}${delimiter}${process.env.PATH}`);
    const [functions, systems] = await Promise.all([loadDeclared(root), loadSystems(root)]);
    const sources = { root, functions, systems, version: "1.2.3", description: "A description.", repository, digests };
    writeChart(folder, await chartOf(sources));
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(installations)(
    "makes of %s what kustomize makes of its overlay",
    async (_, values, overlay, components) => {
      const made = byKey(parse(helmTemplate(folder, values)));
      const wanted = byKey((await installation(root, `overlays/${overlay}`, components)).map(withImages));
      expect([...made.keys()].sort()).toEqual([...wanted.keys()].sort());
      for (const [key, object] of wanted) expect(withoutHelms(made.get(key)), key).toEqual(object);
    },
  );

  test("keeps the namespace and definitions when the release goes", () => {
    const objects = parse(helmTemplate(folder, { systems: flags("satellite", "volume", "eviction") }));
    const kept = objects.filter(({ metadata }) => metadata.annotations?.["helm.sh/resource-policy"] === "keep");
    const mustStay = objects.filter(({ kind }) => kind === "Namespace" || kind === "CustomResourceDefinition");
    expect(mustStay.length).toBeGreaterThan(3);
    expect(kept).toEqual(mustStay);
  });

  test("has two systems that bring the same broker", () => {
    const objects = parse(helmTemplate(folder, { systems: flags("satellite", "eviction") }));
    expect(new Set(byKey(objects).keys()).size).toBe(objects.length);
  });

  test("has Roles in the namespaces that settings name", () => {
    const values = {
      systems: { eviction: true, satellite: true },
      settings: { eviction: { AGENT_NAMESPACE: "openstack" }, satellite: { SATELLITE_NAMESPACE: "linstor" } },
    };
    const made = parse(helmTemplate(folder, values));
    const places = made.flatMap(({ kind, metadata: { name, namespace } }) =>
      kind.startsWith("Role") && namespace !== "holdfast" ? [`${kind} ${name} in ${namespace}`] : [],
    );
    expect(places).toHaveLength(12);
    expect(places).toContain("Role holdfast-eviction-keep-pod in openstack");
    expect(places).toContain("RoleBinding holdfast-satellite-apply-daemonset in linstor");
    expect(places.filter((place) => /yaook|piraeus/.test(place))).toEqual([]);
  });

  const excluding = (excluded: string, more: object = {}) => {
    const settings = { "pvc-protection/protect": { EXCLUDED_NAMESPACES: excluded } };
    const policies = flags("pvc-protection/admission-policy", "pvc-retention/admission-policy");
    return parse(helmTemplate(folder, { options: policies, settings, ...more })).map(withReadTable);
  };

  test("leaves a namespace out as the example excluded-namespace does", async () => {
    const made = byKey(excluding("ci"));
    const built = await installation(root, "examples/excluded-namespace");
    const wanted = byKey(built.map(withImages).map(withReadTable));
    expect([...made.keys()].sort()).toEqual([...wanted.keys()].sort());
    for (const [key, object] of wanted) expect(withoutHelms(made.get(key)), key).toEqual(object);
  });

  test.each([
    ["without Knative", { knative: false }],
    ["with Kafka", { components: flags("kafka") }],
  ])("leaves two namespaces out %s, in the policy's binding and in one row of the sweep", (_, more) => {
    const before = byKey(excluding("", more));
    const changed = [...byKey(excluding(" ci, scratch,", more))].flatMap(([key, object]) =>
      sameJson(object, before.get(key)) ? [] : [[key.split("/").at(-1), object] as const],
    );
    const { "holdfast-sweep-pvc-protection": table, ...others } = Object.fromEntries(changed);
    expect(Object.keys(others).sort()).toEqual(["pvc-protection-protect", "pvc-protection.holdfast.dev"]);
    const key = "kubernetes.io/metadata.name";
    const matchExpressions = [{ key, operator: "NotIn", values: ["ci", "scratch"] }];
    expect(others).toHaveProperty(["pvc-protection.holdfast.dev", "spec", "matchResources"], {
      namespaceSelector: { matchExpressions },
    });
    const row = ["data", "table.yaml", 0];
    expect(table).toHaveProperty([...row, "rule"], "pvc-protection/protect");
    expect(table).toHaveProperty([...row, "excludedNamespaces"], ["ci", "scratch"]);
    expect(JSON.stringify(table).split("excludedNamespaces")).toHaveLength(2);
  });

  test("lets functions reach the addresses in values alone, as the example egress-addresses does", async () => {
    const addresses = { apiServer: ["192.0.2.10/32", "192.0.2.11/32"], salt: ["192.0.2.20/32"] };
    const components = flags("network-policy");
    const made = byKey(parse(helmTemplate(folder, { components, addresses })));
    const wanted = byKey((await installation(root, "examples/egress-addresses")).map(withImages));
    expect([...made.keys()].sort()).toEqual([...wanted.keys()].sort());
    for (const [key, object] of wanted) expect(withoutHelms(made.get(key)), key).toEqual(object);
    const rules = parse(helmTemplate(folder, { knative: false, components, addresses })).flatMap((object) =>
      object.kind === "NetworkPolicy" ? ((object as unknown as Policy).spec.egress ?? []) : [],
    );
    expect(rules.length).toBeGreaterThan(5);
    expect(rules.filter(({ to }) => !to?.length)).toEqual([]);
  });

  test("takes settings, resources, filters and a registry", () => {
    const text = helmTemplate(folder, {
      image: { repository: "mirror.example/x" },
      settings: { "pvc-protection/release": { MODE: "document" }, "pvc-protection/protect": { SELECTOR: "a=b" } },
      resources: { "pvc-protection/release": { limits: { memory: "1Gi" } } },
      filters: { "pvc-protection": [{ not: { exact: { namespace: "ci" } } }] },
    });
    const name = "serving.knative.dev/v1 Service holdfast/pvc-protection-release";
    const release = byKey(parse(text)).get(name) as unknown as Service;
    const [container] = release.spec.template.spec.containers;
    expect(container?.image).toBe(`mirror.example/x/pvc-protection/release@${digests.get("pvc-protection/release")}`);
    expect(container?.env).toContainEqual({ name: "MODE", value: "document" });
    expect(container?.resources).toEqual({ limits: { memory: "1Gi" } });
    const triggers = parse(text).filter(({ kind }) => kind === "Trigger");
    const filtered = triggers.filter((trigger) => JSON.stringify(trigger).includes('{"namespace":"ci"}'));
    expect(filtered.length).toBeGreaterThan(2);
    expect(filtered).toEqual(triggers.filter(({ metadata }) => metadata.name.startsWith("pvc-protection-")));
  });

  test.each([true, false])("gives every container the variables of OpenTelemetry, with Knative: %s", (knative) => {
    const telemetry = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318", OTEL_METRIC_EXPORT_INTERVAL: 60_000 };
    const workloads = parse(helmTemplate(folder, { knative, telemetry })).flatMap((object) => {
      const containers = (object as unknown as Service).spec?.template?.spec?.containers;
      return containers ? [containers] : [];
    });
    expect(workloads.length).toBeGreaterThan(9);
    for (const [container] of workloads)
      expect(container?.env.slice(-2)).toEqual([
        { name: "OTEL_EXPORTER_OTLP_ENDPOINT", value: "http://collector:4318" },
        { name: "OTEL_METRIC_EXPORT_INTERVAL", value: "60000" },
      ]);
  });

  test.each<[string, object, string]>([
    ["a variable that is none of OpenTelemetry", { telemetry: { LOG_LEVEL: "debug" } }, "LOG_LEVEL"],
    ["a system that there is not", { systems: { volumes: true } }, "'volumes' not allowed"],
    ["an option without its system", { options: flags("satellite/cluster-api") }, "/systems/satellite"],
    ["a component without what it needs", { components: flags("kafka-ordered") }, "/components/kafka"],
    ["what needs Knative, without Knative", { knative: false, components: flags("oidc") }, "/components/oidc"],
    ["a value that a setting cannot have", { settings: { "pvc-protection/release": { MODE: "x" } } }, "'strict'"],
    ["a time that is none", { settings: { "undelete/retain": { LONGEST_KEEP: "banana" } } }, "LONGEST_KEEP': 'banana'"],
    ["a number that is too large", { settings: { eviction: { EVICTION_MOVES: 101 } } }, "maximum: got 101, want 100"],
    ["the same as a string", { settings: { eviction: { EVICTION_MOVES: "101" } } }, "EVICTION_MOVES': '101' does not"],
    ["an address that is none", { addresses: { apiServer: ["kubernetes.default"] } }, "does not match pattern"],
    ["a repository with a tag", { image: { repository: "mirror.example/x:latest" } }, "does not match pattern"],
    ["a setting that there is not", { settings: { "pvc-protection/release": { MODES: "x" } } }, "'MODES' not allowed"],
  ])("refuses %s", (_, values, complaint) => expect(() => helmTemplate(folder, values)).toThrow(complaint));

  test("refuses another namespace, in which policies would not know the functions", () =>
    expect(() => helmTemplate(folder, {}, "other")).toThrow("--namespace holdfast"));
});

interface Policy {
  readonly spec: { readonly egress?: readonly { readonly to?: readonly object[] }[] };
}

interface Service {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly { readonly image: string; readonly env: object[]; readonly resources: object }[];
      };
    };
  };
}

function parse(text: string): readonly KubernetesObject[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS({ maxAliasCount: -1 }) as KubernetesObject | null)
    .filter((object) => object !== null);
}

/** With the rows of the sweep's table instead of their text: comments and quotation marks do not matter. */
function withReadTable(object: KubernetesObject): KubernetesObject {
  const { data } = object as { data?: Record<string, string> };
  const text = data?.["table.yaml"];
  return text ? ({ ...object, data: { ...data, "table.yaml": parseYaml(text) } } as KubernetesObject) : object;
}

const byKey = (objects: readonly KubernetesObject[]) =>
  new Map(
    objects.map((object) => {
      const { apiVersion, kind, metadata } = object;
      return [`${apiVersion} ${kind} ${metadata.namespace ?? ""}/${metadata.name}`, object] as const;
    }),
  );

/** With images by digest, as a release's YAML has them. */
function withImages(object: KubernetesObject): KubernetesObject {
  const text = JSON.stringify(object);
  return JSON.parse(
    text.replaceAll(/"fn:\/\/([^"]+)"/g, (_, name) => `"${repository}/${name}@${digests.get(name)}"`),
  ) as KubernetesObject;
}

/** Without what is for Helm alone: what it keeps, and what has a Deployment roll as the hash in a name does. */
function withoutHelms(object: KubernetesObject | undefined): unknown {
  return JSON.parse(JSON.stringify(object), (key, value) => {
    if (key !== "annotations") return value;
    const { "helm.sh/resource-policy": _, "holdfast.dev/eventing": __, ...rest } = value;
    return Object.keys(rest).length > 0 ? rest : undefined;
  });
}
