import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { keepPod } from "../../functions/eviction/keep-pod/rule.ts";
import { applyDaemonset } from "../../functions/satellite/apply-daemonset/rule.ts";
import { ApiError } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import { on, rule } from "../../shared/rule.ts";
import { system } from "../../shared/system/system.ts";
import { SystemError, type SystemFailure } from "../../shared/system/system-error.ts";
import { acceptedObjects } from "./accepted-objects.ts";
import { openEgress } from "./egress.ts";
import { knativeFeatures } from "./features.ts";
import { type Check, findingOf } from "./finding.ts";
import { otherInstallation } from "./other-installation.ts";
import { externalSystems } from "./reach.ts";
import { roleNamespaces } from "./role-namespaces.ts";
import { clusterApi, policiesOfOthers, storageClasses } from "./storage.ts";
import { knativeVersions, kubernetesVersion } from "./versions.ts";
import { whoElse } from "./who-else.ts";
import { yaooksOwn } from "./yaook.ts";

/** A cluster that has these objects, by `Kind/name`, and nothing else. */
function clusterOf(objects: Readonly<Record<string, object>>, gitVersion = "v1.36.1"): Client {
  const named = Object.entries(objects).map(([key, { metadata, ...rest }]: [string, { metadata?: object }]) => {
    const [kind = "", name = ""] = key.split("/");
    return { kind, metadata: { name, namespace: "there", uid: key, resourceVersion: "1", ...metadata }, ...rest };
  });
  return {
    request: async () => ({ gitVersion }),
    get: async ({ kind }: Kind, _: string, name: string) =>
      named.find((one) => one.kind === kind && one.metadata.name === name),
    async *list({ kind }: Kind) {
      yield* named.filter((one) => one.kind === kind);
    },
  } as unknown as Client;
}

/** A cluster with ClusterRoleBindings to accounts in these namespaces. */
const boundIn = (...namespaces: readonly string[]) =>
  clusterOf(
    Object.fromEntries(
      namespaces.map((namespace) => [
        `ClusterRoleBinding/${namespace}`,
        { subjects: [{ kind: "ServiceAccount", namespace }, { kind: "ServiceAccount" }, { kind: "User" }] },
      ]),
    ),
  );
const byHelm = clusterOf({
  "ClusterRoleBinding/one": {
    metadata: { annotations: { "meta.helm.sh/release-name": "holdfast" } },
    subjects: [{ kind: "ServiceAccount", namespace: "two" }],
  },
});
const here = "ClusterRoleBindings of Holdfast for namespace two are there already:";
const inTwo = "Holdfast is installed in namespace two: its ClusterRoleBindings name accounts there.";
const none = { what: "There is no other." };

const policies = ["MutatingAdmissionPolicy", "ValidatingAdmissionPolicy"];
const admission = (...kinds: readonly string[]) =>
  kinds.map((kind) => ({ apiVersion: "admissionregistration.k8s.io/v1", kind }) as never);
const machines = (...versions: readonly string[]) =>
  versions.map((version) => ({ apiVersion: `cluster.x-k8s.io/${version}`, kind: "Machine" }) as never);
const release = (version?: string) => ({
  metadata: { labels: version ? { "app.kubernetes.io/version": version } : {} },
});
const knative = (eventing?: object, serving?: object) =>
  clusterOf({
    ...(eventing ? { "CustomResourceDefinition/brokers.eventing.knative.dev": eventing } : {}),
    ...(serving ? { "CustomResourceDefinition/services.serving.knative.dev": serving } : {}),
  });
const storage = (provisioner: string) =>
  storageClasses(clusterOf({ "StorageClass/fast": { provisioner } }), ["undelete"]);
const operator = (name: string, spec: object = {}) => clusterOf({ [`Deployment/${name}`]: { spec } });
const yaook = (annotations: object) =>
  yaooksOwn(clusterOf({ "NovaComputeNode/c1": { metadata: { annotations } } }), ["eviction"]);

const features = (objects: Readonly<Record<string, object>>, data?: object) =>
  knativeFeatures(
    clusterOf({ ...objects, ...(data ? { "ConfigMap/config-features": { data } } : {}) }),
    [
      { apiVersion: "eventing.knative.dev/v1", kind: "Trigger" } as never,
      { apiVersion: "sources.knative.dev/v1", kind: "ApiServerSource" } as never,
    ],
    "holdfast",
  );
const filtered = { "ApiServerSource/storage": { spec: { filters: [] } } };
const names = { to: [{ namespaceSelector: {} }], ports: [{ port: 53 }] };
const apiServer = { ports: [{ port: 443 }, { port: 6443 }] };
const withTokens = { "Trigger/release": { spec: { subscriber: { audience: "it" } } } };

test("preflight says nothing of a network policy that names each address", async () => {
  const named = { ...apiServer, to: [{ ipBlock: { cidr: "192.0.2.10/32" } }] };
  const cluster = clusterOf({ "NetworkPolicy/functions": { spec: { egress: [names, named] } }, "NetworkPolicy/a": {} });
  expect(await openEgress(cluster, "there")).toEqual([]);
});

/** What preflight says of a namespace whose API server answers a new object so, other kinds well. */
function refused(kind: string, status: number, message: string) {
  const request = async (_: string, path: string) => {
    if (path.includes(`/${kind}?dryRun=All`)) throw new ApiError("POST x", { status, reason: "", message } as never);
  };
  return acceptedObjects({ ...clusterOf({}), request } as unknown as Client, "keeping");
}

test("a namespace that is not there refuses no pods, and what a user may not ask is not known", async () => {
  const [configMap, ...others] = await refused("pods", 404, 'namespaces "keeping" not found');
  expect([configMap?.what, others]).toEqual(["Namespace keeping takes one more ConfigMap of Holdfast.", []]);
  const lacking =
    'pods is forbidden: User "a" cannot create resource "pods" in API group "" in the namespace "keeping"';
  await expect(refused("pods", 403, lacking)).rejects.toThrow(ApiError);
  await expect(refused("pods", 400, 'admission webhook "a" does not support dry run')).rejects.toThrow(ApiError);
});

/** What a look finds: whether it is bad, a note or good, and how its sentence reads. */
test.each<[string, () => Promise<readonly Check[]> | readonly Check[], "bad" | "note" | "good", string]>([
  [
    "an old Kubernetes",
    () => kubernetesVersion(clusterOf({}, "v1.33.9"), admission(...policies)),
    "bad",
    "This is Kubernetes v1.33.9.",
  ],
  [
    "an API server without policies that change objects",
    () => kubernetesVersion(clusterOf({}), admission("ValidatingAdmissionPolicy")),
    "note",
    "The API server does not serve MutatingAdmissionPolicy in version v1.",
  ],
  [
    "an API server without policies that refuse",
    () => kubernetesVersion(clusterOf({}), admission("MutatingAdmissionPolicy")),
    "bad",
    "The API server does not serve ValidatingAdmissionPolicy in version v1.",
  ],
  ["no Knative", () => knativeVersions(knative()), "note", "Knative is not installed."],
  [
    "half of Knative",
    () => knativeVersions(knative(release("1.22.2"))),
    "bad",
    "Knative Serving is not installed, although the other half of Knative is.",
  ],
  [
    "an old Eventing",
    () => knativeVersions(knative(release("1.22.1"), release("1.22.0"))),
    "bad",
    "Knative Eventing is 1.22.1.",
  ],
  [
    "an old Serving",
    () => knativeVersions(knative(release("1.22.2"), release("v1.21.3"))),
    "bad",
    "Knative Serving is v1.21.3.",
  ],
  [
    "a Serving that does not say its version",
    () => knativeVersions(knative(release("1.22.2"), release())),
    "note",
    "Knative Serving does not say its version.",
  ],
  [
    "features of Knative that nothing needs",
    () => features({ "ApiServerSource/storage": {}, "Trigger/release": { spec: { subscriber: {} } } }),
    "good",
    "Knative's feature authentication-oidc is off. Only the component oidc needs it.",
  ],
  [
    "a feature that sources need",
    () => features(filtered, { "new-apiserversource-filters": "disabled" }),
    "bad",
    "Knative's feature new-apiserversource-filters is off, and the component source-filters is installed: " +
      "there/storage.",
  ],
  [
    "a feature that Triggers need, where nothing is set",
    () => features(withTokens),
    "bad",
    "Knative's feature authentication-oidc is off, and the component oidc is installed: there/release.",
  ],
  [
    "a feature that is on",
    () => features(withTokens, { "authentication-oidc": "Enabled" }),
    "good",
    "Knative's feature authentication-oidc is on: the component oidc works.",
  ],
  [
    "a network policy that opens ports to every address",
    () => openEgress(clusterOf({ "NetworkPolicy/functions": { spec: { egress: [names, apiServer] } } }), "there"),
    "note",
    "NetworkPolicy there/functions opens these ports to every address: 443, 6443.",
  ],
  [
    "a quota that refuses the pods of functions",
    () => refused("pods", 403, 'pods "holdfast-preflight" is forbidden: failed quota: q: must specify limits.cpu'),
    "bad",
    "Namespace keeping refuses one more Pod of Holdfast: failed quota: q: must specify limits.cpu.",
  ],
  [
    "a quota that has no room for dead-lettered events",
    () => refused("configmaps", 403, 'configmaps "holdfast-preflight" is forbidden: exceeded quota: q'),
    "bad",
    "Namespace keeping refuses one more ConfigMap of Holdfast: exceeded quota: q.",
  ],
  [
    "a namespace that takes what functions need",
    () => acceptedObjects(clusterOf({}), "there"),
    "good",
    "Namespace there takes one more Pod of Holdfast.",
  ],
  ["no StorageClass", () => storageClasses(clusterOf({}), ["undelete"]), "note", "There is no StorageClass."],
  [
    "a StorageClass for one node's disk",
    () => storage("rancher.io/local-path"),
    "note",
    "StorageClass fast is of rancher.io/local-path, with reclaimPolicy Delete.",
  ],
  [
    "a StorageClass for volumes that are made by hand",
    () => storage("kubernetes.io/no-provisioner"),
    "note",
    "StorageClass fast is of kubernetes.io/no-provisioner, with reclaimPolicy Delete.",
  ],
  [
    "any other StorageClass",
    () => storage("csi.example.org"),
    "good",
    "StorageClass fast is of csi.example.org, with reclaimPolicy Delete.",
  ],
  [
    "sets without a policy of their own",
    () => policiesOfOthers(clusterOf({ "StatefulSet/web": { spec: {} } }), ["pvc-retention"]),
    "good",
    "No StatefulSet has a persistentVolumeClaimRetentionPolicy of its own.",
  ],
  [
    "Cluster API in the latest version",
    () => clusterApi(machines("v1beta1", "v1beta2"), ["satellite"]),
    "good",
    "Cluster API serves Machines in cluster.x-k8s.io/v1beta2: the component for it is cluster-api.",
  ],
  [
    "Cluster API in an older version",
    () => clusterApi(machines("v1beta1"), ["satellite"]),
    "good",
    "Cluster API serves Machines in cluster.x-k8s.io/v1beta1: the component for it is cluster-api-v1beta1.",
  ],
  [
    "Cluster API in a version that is not known",
    () => clusterApi(machines("v1alpha4"), ["satellite"]),
    "bad",
    "Cluster API serves Machines only in cluster.x-k8s.io/v1alpha4.",
  ],
  [
    "MetalK8s' own operator",
    () => whoElse(operator("storage-operator-controller-manager"), ["volume"]),
    "bad",
    "Deployment there/storage-operator-controller-manager runs.",
  ],
  ["another installation", () => otherInstallation(boundIn("holdfast", "two"), "holdfast"), "bad", inTwo],
  ["no installation", async () => [...(await otherInstallation(boundIn(), "two")), none], "good", none.what],
  ["the same installation", () => otherInstallation(boundIn("two"), "two"), "note", `${here} Helm has not made them.`],
  [
    "an installation of Helm's",
    () => otherInstallation(byHelm, "two"),
    "note",
    `${here} the Helm release holdfast has them.`,
  ],
  ["a compute node that Yaook keeps", () => yaook({}), "note", "Yaook's operator keeps these compute nodes: there/c1."],
  [
    "a compute node that was handed over",
    () => yaook({ "state.yaook.cloud/pause": "holdfast" }),
    "good",
    "No compute node is kept by Yaook's operator alone.",
  ],
])("preflight finds %s", async (_, look, kind, what) => {
  const checks = await look();
  expect(checks.map((check) => check.what)).toContain(what);
  const others = checks.filter((check) => check.what !== what);
  expect(others.flatMap(findingOf)).toEqual([]);
  const [found] = checks.filter((check) => check.what === what);
  expect([found?.todo === undefined ? "good" : found.isNote ? "note" : "bad", found?.why !== undefined]).toEqual([
    kind,
    kind !== "good",
  ]);
});

/** What preflight says of the namespaces in which functions of eviction have Roles. */
const namespacesOf = (objects: Readonly<Record<string, object>>, environment = {}) =>
  roleNamespaces(clusterOf(objects), [keepPod as never], environment, "holdfast");

test("a namespace of Roles that is not there is bad, with what to run and what to change", async () => {
  const [found, ...others] = await namespacesOf({});
  expect(others).toEqual([]);
  expect(found).toMatchObject({ what: "Namespace yaook is not there.", why: expect.stringContaining("eviction") });
  expect(found).not.toHaveProperty("isNote");
  expect(found?.todo).toContain("kubectl create namespace yaook");
  expect(found?.todo).toContain("change AGENT_NAMESPACE");
  const [, example = ""] = /as in (\S+);/.exec(found?.todo ?? "") ?? [];
  expect(existsSync(`${example}/kustomization.yaml`)).toBe(true);
  expect(await namespacesOf({ "Namespace/yaook": {} })).toEqual([{ what: "Namespace yaook is there." }]);
});

test("the namespace of Roles is what the environment names, or else what is installed", async () => {
  const installed = { "ConfigMap/holdfast-eviction": { data: { AGENT_NAMESPACE: "openstack" } } };
  const [found] = await namespacesOf(installed);
  expect(found?.what).toBe("Namespace openstack is not there.");
  const [named] = await namespacesOf(installed, { AGENT_NAMESPACE: "agents" });
  expect(named?.what).toBe("Namespace agents is not there.");
});

test("the namespace of satellites is looked for, too", async () => {
  const [found] = await roleNamespaces(clusterOf({}), [applyDaemonset as never], {}, "holdfast");
  expect(found?.what).toBe("Namespace piraeus-datastore is not there.");
  expect(found?.todo).toContain("as in knative/examples/satellite-namespace;");
});

test("an operator that is scaled to zero, and one of a system that is not asked for, are not found", async () => {
  expect(await whoElse(operator("storage-operator", { replicas: 0 }), ["volume"])).toEqual([]);
  expect(await whoElse(operator("storage-operator"), ["satellite"])).toEqual([]);
});

/** What preflight says of an external system that answers so, with these Secrets. */
async function asked(
  answer: () => Promise<unknown>,
  get: () => Promise<unknown>,
  optional = false,
  url = "http://toys.example",
) {
  const toys = system({
    name: "toys",
    doc: "A toy shop.",
    settings: z.object({ toysUrl: z.string().default("") }),
    credentials: { password: { doc: "The password.", optional } },
    ports: [],
    connect: () => ({}),
  } as never);
  const one = rule({
    name: "toys/toy",
    doc: "A toy.",
    settings: z.object({}),
    systems: { toys },
    triggers: [on({ apiVersion: "v1", kind: "Pod", plural: "pods", namespaced: true }, ["update"])],
    permissions: [],
    sweep: [],
    subjects: () => [],
    look: async () => undefined,
    decide: () => [],
  } as never);
  const gaps: string[] = [];
  const client = { get } as unknown as Client;
  const checks = await externalSystems(client, [one as never], { toys: answer }, { TOYS_URL: url }, "keeping", gaps);
  return { checks, gaps, bad: checks.flatMap(findingOf) };
}

const isThere = async () => ({});
const failed = (failure: SystemFailure) => async () => {
  throw new SystemError("Toys", failure, `Toys is ${failure}.`);
};

test("an external system that lets the account in, with its Secret, is good", async () => {
  const { checks, gaps } = await asked(async () => [], isThere);
  expect([checks, gaps]).toEqual([
    [{ what: "Secret keeping/holdfast-toys is there." }, { what: "toys answers from here, and lets the account in." }],
    [],
  ]);
});

test.each([
  ["is only a note where it may be missing", true, 0],
  ["is bad where the system needs it", false, 1],
])("a Secret that is not there %s", async (_, optional, expected) => {
  const { checks, bad } = await asked(
    async () => [],
    async () => undefined,
    optional,
  );
  expect(checks[0]).toMatchObject({
    what: "Secret keeping/holdfast-toys is not there.",
    todo: expect.stringContaining("password (The password.)"),
  });
  expect(bad).toHaveLength(expected);
});

test("a Secret that may not be read is not known", async () => {
  const { gaps } = await asked(
    async () => [],
    async () => {
      throw new ApiError("GET x", { status: 403, reason: "Forbidden", message: "no" } as never);
    },
  );
  expect(gaps).toEqual(["Whether Secret keeping/holdfast-toys is there: you may not read it."]);
});

test.each(["unreachable", "overloaded"] as const)("that a system is %s from here is not known", async (failure) => {
  const { bad, gaps } = await asked(failed(failure), isThere);
  expect([bad, gaps]).toEqual([[], [`Whether toys can be reached from the cluster: from here, Toys is ${failure}.`]]);
});

test.each(["unauthorized", "refused"] as const)("a system for which we are %s is bad", async (failure) => {
  const { bad, gaps } = await asked(failed(failure), isThere);
  expect(gaps).toEqual([]);
  expect(bad).toEqual([
    { what: `Toys is ${failure}. Functions would wait for toys.`, todo: "Correct address or credentials." },
  ]);
});

test("a setting that cannot be read is bad, and it is said why that matters", async () => {
  const { checks, bad } = await asked(async () => [], isThere, false, "toys");
  expect(bad).toHaveLength(1);
  expect(checks[1]).toEqual({
    what: expect.stringContaining("TOYS_URL"),
    why: expect.anything(),
    todo: "Correct the setting, then ask again.",
  });
});
