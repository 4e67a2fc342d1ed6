import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import * as z from "zod";
import { type Kind, PersistentVolumeClaim, Pod, StatefulSet } from "../../shared/kubernetes/kind.ts";
import { on, onSignal } from "../../shared/rule.ts";
import { system } from "../../shared/system/system.ts";
import type { Declared } from "./declared.ts";
import { manifestsOf } from "./manifests.ts";

const Node: Kind = { apiVersion: "v1", kind: "Node", plural: "nodes", namespaced: false, family: "nodes" };

/** Of permissions, where it does not matter. */
const why = "to look at pods";

const declare = (name: string, rest: Partial<Declared>): Declared => ({
  name,
  doc: "A function for tests.",
  settings: z.object({}),
  permissions: [],
  triggers: [],
  ...rest,
});

interface Manifest {
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: looked into by path.
  [field: string]: any;
}

function generate(...functions: readonly Declared[]): (path: string, kind: string) => readonly Manifest[] {
  const files = manifestsOf(functions);
  return (path, kind) => {
    const documents = parseAllDocuments(files.get(path) ?? "").map((document) => document.toJS() as Manifest);
    return documents.filter((document) => document.kind === kind);
  };
}

test("triggers of one family share a Trigger; those of another family, and of an overlay, have their own", () => {
  const find = generate(
    declare("eviction/drain", {
      triggers: [
        on(Pod, ["update", "delete"]),
        on(StatefulSet, ["add"]),
        on(Node, ["update"]),
        on(Pod, ["add"], "pod-adds"),
      ],
    }),
  );
  const triggers = find("knative/eviction/drain.yaml", "Trigger");
  expect(triggers.map(({ metadata, spec }) => [metadata.name, spec.broker])).toEqual([
    ["eviction-drain-workloads", "workloads"],
    ["eviction-drain-nodes", "nodes"],
  ]);
  const event = (change: string, apiversion: string, kind: string) => ({
    exact: { type: `dev.knative.apiserver.resource.${change}`, apiversion, kind },
  });
  expect(triggers.map(({ spec }) => spec.filters)).toEqual([
    [{ any: [event("update", "v1", "Pod"), event("delete", "v1", "Pod"), event("add", "apps/v1", "StatefulSet")] }],
    [event("update", "v1", "Node")],
  ]);
  const [overlay] = find("knative/eviction/pod-adds/triggers.yaml", "Trigger");
  expect(overlay).toMatchObject({
    metadata: { name: "eviction-drain-workloads-pod-adds" },
    spec: { filters: [event("add", "v1", "Pod")] },
  });
  expect(find("knative/eviction/pod-adds/kustomization.yaml", "Component")).toHaveLength(1);
});

test("an overlay for a kind that nothing else watches brings its source, and is the only one to", () => {
  const find = generate(
    declare("a/one", { triggers: [on(Node, ["update"]), on(StatefulSet, ["add"], "sets"), on(Pod, ["add"], "sets")] }),
    declare("b/two", { triggers: [on(Pod, ["update"])] }),
  );
  const [source] = find("knative/a/sets/source.yaml", "ApiServerSource");
  expect(source).toMatchObject({
    metadata: { name: "a-sets-workloads" },
    spec: { resources: [{ apiVersion: "apps/v1", kind: "StatefulSet" }], sink: { ref: { name: "workloads" } } },
  });
  expect(find("knative/a/sets/source.yaml", "ClusterRole")[0]?.rules).toEqual([
    { apiGroups: ["apps"], resources: ["statefulsets"], verbs: ["get", "list", "watch"] },
  ]);
  expect(JSON.stringify(find("sources/workloads.yaml", "ApiServerSource"))).not.toContain("StatefulSet");
});

test("kinds of the cluster are watched by a source of their own, which no new namespace restarts", () => {
  const find = generate(
    declare("a/one", { triggers: [on(Node, ["update"]), on(Pod, ["delete"]), on(StatefulSet, ["update"])] }),
    declare("b/two", { triggers: [on(Pod, ["update"])] }),
  );
  const [nodes] = find("sources/nodes.yaml", "ApiServerSource");
  expect(nodes?.metadata.name).toBe("nodes-cluster");
  expect(nodes?.spec).not.toHaveProperty("namespaceSelector");
  const [workloads] = find("sources/workloads.yaml", "ApiServerSource");
  expect(workloads?.spec).toMatchObject({
    namespaceSelector: {},
    resources: [
      { apiVersion: "apps/v1", kind: "StatefulSet" },
      { apiVersion: "v1", kind: "Pod" },
    ],
  });
  expect(find("sources/workloads.yaml", "ClusterRole")[0]?.rules).toEqual([
    { apiGroups: ["apps"], resources: ["statefulsets"], verbs: ["get", "list", "watch"] },
    { apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] },
  ]);
});

test("grants on one resource are one line; what is the function's own namespace's goes to a Role there", () => {
  const ConfigMap: Kind = { apiVersion: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true };
  const find = generate(
    declare("a/one", {
      permissions: [
        { resource: Pod, verbs: ["get"], why },
        { resource: Pod, verbs: ["list", "get"], why },
        { resource: Pod, subresource: "eviction", verbs: ["create"], why },
        { ownNamespace: true, resource: ConfigMap, verbs: ["patch"], why },
      ],
    }),
  );
  expect(find("knative/access/a/one.yaml", "ClusterRole").map(({ rules }) => rules)).toEqual([
    [
      { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] },
      { apiGroups: [""], resources: ["pods/eviction"], verbs: ["create"] },
    ],
  ]);
  expect(find("knative/access/a/one.yaml", "Role")).toMatchObject([
    {
      metadata: { name: "a-one", namespace: "holdfast" },
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["patch"] }],
    },
  ]);
  expect(find("knative/access/a/one.yaml", "RoleBinding")).toHaveLength(1);
});

test("what is granted in the namespace that a setting names is a Role there, by the setting's default", () => {
  const find = generate(
    declare("a/one", {
      settings: z.object({ place: z.string().default("elsewhere").describe("Where.") }),
      permissions: [{ namespaceSetting: "place", resource: Pod, verbs: ["delete"], why }],
    }),
  );
  expect(find("knative/access/a/one.yaml", "ClusterRole")).toEqual([]);
  const metadata = { name: "holdfast-a-one", namespace: "elsewhere" };
  expect(find("knative/access/a/one.yaml", "Role")).toMatchObject([{ metadata, rules: [{ verbs: ["delete"] }] }]);
  expect(find("knative/access/a/one.yaml", "RoleBinding")).toMatchObject([
    { metadata, subjects: [{ name: "a-one", namespace: "holdfast" }] },
  ]);
});

test("what an overlay grants is a role of its own, for the same account", () => {
  const find = generate(
    declare("a/one", {
      permissions: [
        { resource: Pod, verbs: ["get"], why },
        { resource: Pod, verbs: ["delete"], overlay: "more", why },
      ],
    }),
    declare("a/two", { permissions: [{ resource: Pod, verbs: ["patch"], overlay: "more", why }] }),
  );
  expect(find("knative/access/a/one.yaml", "ClusterRole")).toMatchObject([{ rules: [{ verbs: ["get"] }] }]);
  expect(find("knative/access/a/two.yaml", "ClusterRole")).toEqual([]);
  expect(find("knative/a/more/access.yaml", "ClusterRole")).toMatchObject([
    { metadata: { name: "holdfast-a-one-more" }, rules: [{ resources: ["pods"], verbs: ["delete"] }] },
    { metadata: { name: "holdfast-a-two-more" }, rules: [{ resources: ["pods"], verbs: ["patch"] }] },
  ]);
  expect(find("knative/a/more/access.yaml", "ClusterRoleBinding")).toMatchObject([
    { roleRef: { name: "holdfast-a-one-more" }, subjects: [{ name: "a-one", namespace: "holdfast" }] },
    { roleRef: { name: "holdfast-a-two-more" }, subjects: [{ name: "a-two", namespace: "holdfast" }] },
  ]);
});

test("what an overlay grants in the function's own namespace is a Role there", () => {
  const permissions = [{ ownNamespace: true, resource: Pod, verbs: ["delete"], overlay: "more", why }] as const;
  const find = generate(declare("a/one", { permissions }));
  expect(find("knative/a/more/access.yaml", "ClusterRole")).toEqual([]);
  expect(find("knative/a/more/access.yaml", "Role")).toMatchObject([
    { metadata: { name: "a-one-more", namespace: "holdfast" }, rules: [{ resources: ["pods"], verbs: ["delete"] }] },
  ]);
  expect(find("knative/a/more/access.yaml", "RoleBinding")).toMatchObject([{ subjects: [{ name: "a-one" }] }]);
});

test("accounts and roles are apart from what needs them, and either is a part of the whole", () => {
  const find = generate(declare("a/one", { triggers: [on(Pod, ["delete"])] }), declare("b/two", {}));
  expect(find("knative/a/one.yaml", "ServiceAccount")).toEqual([]);
  expect(find("knative/access/b/two.yaml", "Service")).toEqual([]);
  const [access] = find("knative/overlays/access/kustomization.yaml", "Kustomization");
  expect(access).toMatchObject({ resources: ["../../namespace"], components: ["../../access/a", "../../access/b"] });
  const [functions] = find("knative/overlays/functions/kustomization.yaml", "Kustomization");
  expect(functions).toMatchObject({ components: ["../../a", "../../b"] });
  const [whole] = find("knative/overlays/default/kustomization.yaml", "Kustomization");
  expect(whole).toMatchObject({ resources: ["../access", "../functions"] });
});

test("a function that may do nothing gets no role", () => {
  const find = generate(declare("a/one", {}));
  expect(find("knative/access/a/one.yaml", "ServiceAccount")).toHaveLength(1);
  for (const kind of ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"])
    expect(find("knative/access/a/one.yaml", kind)).toEqual([]);
});

test("settings of every type become variables, and readers of YAML 1.1 take none for a boolean", () => {
  const settings = z.object({
    maxAge: z.coerce.number().default(30).describe("Seconds."),
    enabled: z.enum(["yes", "no"]).default("no").describe("Whether."),
  });
  const text = manifestsOf([declare("a/one", { settings, concurrency: 1 })]).get("knative/a/one.yaml") ?? "";
  expect(text).toContain('# Seconds.\n            - name: MAX_AGE\n              value: "30"');
  expect(text).toContain('# One of yes, no. Whether.\n            - name: ENABLED\n              value: "no"');
  expect(text).toContain('autoscaling.knative.dev/max-scale: "1"');
});

test("a workload names its version, and its pods do not, so that a release alone rolls no function", () => {
  const label = "app.kubernetes.io/version";
  const { version: expected } = JSON.parse(readFileSync("package.json", "utf8"));
  const find = generate(declare("a/one", {}));
  const [service] = find("knative/a/one.yaml", "Service");
  const [deployment, source] = ["functions.yaml", "source.yaml"].flatMap((file) =>
    find(`knative/overlays/no-knative/${file}`, "Deployment"),
  );
  for (const workload of [service, deployment, source]) {
    expect(workload?.metadata.labels).toMatchObject({ [label]: expected });
    expect(JSON.stringify(workload?.spec)).not.toContain(label);
  }
});

test("dead-lettered events go to the function for them where there is one, and its own go nowhere", () => {
  const waking = declare("a/one", { triggers: [on(Pod, ["delete"])] });
  const deadLetter = declare("platform/dead-letter", {});
  const sinkOf = (...functions: readonly Declared[]) =>
    generate(...functions)("knative/a/one.yaml", "Trigger")[0]?.spec.delivery.deadLetterSink?.ref.name;
  expect(sinkOf(waking)).toBeUndefined();
  expect(sinkOf(waking, deadLetter)).toBe("platform-dead-letter");
});

test("what a rule wants swept reaches it by the Trigger of its family, also where nothing else does", () => {
  const sweep = declare("platform/sweep", {
    settings: z.object({
      table: z.string().default("rows").describe("The table."),
      tokens: z.string().default("").describe("The tokens."),
    }),
  });
  const rule = declare("a/one", {
    triggers: [on(Pod, ["delete"])],
    sweep: [{ kind: PersistentVolumeClaim, when: { deletingWith: "example.com/f" } }],
  });
  const find = generate(rule, sweep);
  const [, storage] = find("knative/a/one.yaml", "Trigger");
  expect(storage?.spec).toMatchObject({
    broker: "storage",
    filters: [{ exact: { type: "dev.holdfast.sweep", kind: "PersistentVolumeClaim" } }],
  });
  const [own] = find("knative/platform/sweep-table.yaml", "ConfigMap");
  expect(own?.metadata.name).toBe("rows");
  const [table] = find("knative/a/sweep-table.yaml", "ConfigMap");
  expect(table?.metadata.name).toBe("holdfast-sweep-a");
  expect(table?.data["table.yaml"]).toContain('deletingWith: "example.com/f"');
  expect(find("sources/sweep.yaml", "PingSource")).toHaveLength(1);
});

test("a signal reaches the rule by the Trigger of its object's family, and no source watches for it", () => {
  const find = generate(declare("a/one", { triggers: [onSignal(PersistentVolumeClaim, "dev.holdfast.test.done")] }));
  expect(find("knative/a/one.yaml", "Trigger")[0]?.spec).toMatchObject({
    broker: "storage",
    filters: [{ exact: { type: "dev.holdfast.test.done", apiversion: "v1", kind: "PersistentVolumeClaim" } }],
  });
  expect(find("sources/storage.yaml", "ApiServerSource")).toEqual([]);
});

test("a grant of some names is a line of its own", () => {
  const find = generate(
    declare("a/one", {
      permissions: [
        { resource: Pod, verbs: ["get"], names: ["web-0"], why },
        { resource: Pod, verbs: ["list"], why },
        { resource: Pod, verbs: ["patch"], names: ["web-0"], why },
      ],
    }),
  );
  expect(find("knative/access/a/one.yaml", "ClusterRole")[0]?.rules).toEqual([
    { apiGroups: [""], resources: ["pods"], resourceNames: ["web-0"], verbs: ["get", "patch"] },
    { apiGroups: [""], resources: ["pods"], verbs: ["list"] },
  ]);
});

test(
  "settings that functions share, and those of their external systems, are a ConfigMap of their system; " +
    "credentials a Secret",
  () => {
    const crane = system({
      name: "crane",
      doc: "Moves nodes.",
      settings: z.object({ craneUrl: z.string().default("http://crane").describe("The crane's root.") }),
      credentials: { token: { doc: "From the crane's office." } },
      ports: [80],
      connect: () => ({}),
    });
    const common = z.object({ finalizer: z.string().default("example.com/f").describe("The finalizer.") });
    const own = common.extend({ tries: z.coerce.number().default(3).describe("How often.") });
    const find = generate(declare("a/one", { settings: own, common, systems: { crane } }), declare("a/two", {}));
    expect(find("knative/a/settings.yaml", "ConfigMap")).toMatchObject([
      { metadata: { name: "holdfast-a" }, data: { FINALIZER: "example.com/f", CRANE_URL: "http://crane" } },
    ]);
    const [service] = find("knative/a/one.yaml", "Service");
    const { containers, volumes } = service?.spec.template.spec ?? {};
    expect(containers[0].env.map(({ name }: { name: string }) => name)).toEqual(["TRIES", "LOG_LEVEL"]);
    expect(containers[0].envFrom).toEqual([{ configMapRef: { name: "holdfast-a", optional: true } }]);
    expect(containers[0].volumeMounts).toEqual([{ name: "crane", mountPath: "/etc/holdfast/crane", readOnly: true }]);
    expect(volumes).toEqual([{ name: "crane", secret: { secretName: "holdfast-crane", optional: true } }]);
    const [plain] = find("knative/a/two.yaml", "Service");
    expect(plain?.spec.template.spec).not.toHaveProperty("volumes");
    expect(plain?.spec.template.spec.containers[0]).not.toHaveProperty("envFrom");
  },
);

describe("what cannot work is refused with a sentence", () => {
  const kind = (kind: string, plural: string): Kind => ({ apiVersion: "v1", kind, plural, namespaced: true });
  const ofFamily = (kind: Kind): Kind => ({ ...kind, family: "nodes" });

  test.each<[string, Partial<Declared>, string]>([
    [
      "a kind of no family",
      { triggers: [on(kind("Lamp", "lamps"), ["add"])] },
      "Lamp of v1 triggers a rule: give its declaration a family",
    ],
    [
      "a plural that a source does not guess",
      { triggers: [on(ofFamily(kind("Machine", "machinery")), ["add"])] },
      "An ApiServerSource cannot watch Machine: it would look for machines.",
    ],
    [
      "a setting without a default",
      { settings: z.object({ size: z.string().describe("How big.") }) },
      "The setting size of a/one has no default.",
    ],
    [
      "a setting without a description",
      { settings: z.object({ size: z.string().default("1") }) },
      "The setting size of a/one has no description.",
    ],
  ])("%s", (_, declaration, message) => expect(() => manifestsOf([declare("a/one", declaration)])).toThrow(message));
});
