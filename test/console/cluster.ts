import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { seededRandom } from "../../eventing/random.ts";
import { tokenTransports } from "../../functions/platform/console/token-transport.ts";
import { serveHttp } from "../../local/apiserver/http.ts";
import { createApiServer } from "../../local/apiserver/server.ts";
import { create } from "../../local/cluster/install.ts";
import { eventingDefinitions } from "../../local/knative/definitions.ts";
import { serviceDefinition } from "../../local/serving/definition.ts";
import { objectsIn } from "../../local/start/manifests.ts";
import { systemClock } from "../../shared/clock.ts";
import { type Client, createClient } from "../../shared/kubernetes/client.ts";
import { discover } from "../../shared/kubernetes/discover.ts";
import { kubeconfigTransport } from "../../shared/kubernetes/kubeconfig-transport.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";
import { addressIn, authorityOf } from "../cluster/authority.ts";
import { compact } from "../cluster/compact.ts";
import { startControlPlane } from "../cluster/control-plane.ts";
import { kubectl } from "../cluster/kubectl.ts";
import { ownCluster } from "../cluster/own-cluster.ts";
import { poll } from "../harness/poll.ts";

/** An API server with what Holdfast installs, and no function that runs: what is on it stays. */
export interface StillCluster {
  readonly admin: Client;
  /** Carries the administrator's credential. */
  readonly transport: Transport;
  /** Carries the credential of a user. */
  connect(token: string): Transport;
  /** Tokens of users: of one who may do everything, of one who may only read, and of one who has no right. */
  readonly tokens: { readonly admin: string; readonly reader: string; readonly stranger: string };
  /** Creates objects, with their status. */
  add(objects: readonly object[]): Promise<void>;
  compact(): Promise<void>;
  /** Tries a command out, and returns what it prints: nothing is changed. Absent without a kubectl. */
  kubectl?(command: string): string;
  close(): Promise<void>;
}

type Server = Pick<StillCluster, "transport" | "connect" | "compact" | "kubectl" | "close">;

const tokens = { admin: "admin-token", reader: "reader-token", stranger: "stranger-token" };

/**
 * Starts one: a control plane of its own where the suite has the binaries of one, otherwise that of the laptop edition.
 * `isEmpty`: without anything of Holdfast.
 */
export async function stillCluster({ isEmpty = false } = {}): Promise<StillCluster> {
  const assets = ownCluster?.assets;
  const server = await (assets ? realServer(assets) : laptopServer());
  const admin = createClient(server.transport, { clock: systemClock });
  await create(admin, readOnly);
  if (!isEmpty) await install(admin);
  return {
    ...server,
    admin,
    tokens,
    async add(objects) {
      const served = await discover(admin, () => {});
      for (const object of objects as readonly (KubernetesObject & { status?: object })[]) {
        const { status, ...rest } = object;
        const kind = served.find((one) => one.apiVersion === object.apiVersion && one.kind === object.kind);
        if (!kind) throw new Error(`The API server does not serve ${object.apiVersion} ${object.kind}.`);
        await admin.create(kind, rest as KubernetesObject);
        const { namespace, name } = object.metadata;
        if (status) await admin.patch(kind, namespace, name, "merge", { status }, { subresource: "status" });
      }
    },
  };
}

async function laptopServer(): Promise<Server> {
  const server = createApiServer({
    clock: systemClock,
    random: seededRandom(1),
    rbac: true,
    tokens: {
      [tokens.admin]: { user: "admin", groups: ["system:masters", "system:authenticated"] },
      [tokens.reader]: { user: "reader", groups: ["readers", "system:authenticated"] },
      [tokens.stranger]: { user: "stranger", groups: ["system:authenticated"] },
    },
  });
  const http = await serveHttp(server);
  return {
    transport: (request) =>
      server.handle({ ...request, headers: { ...request.headers, authorization: `Bearer ${tokens.admin}` } }),
    connect: tokenTransports({ apiServer: http.url, authority: "" }, {}),
    compact: async () => server.compact(),
    async close() {
      server.close();
      await http.close();
    },
  };
}

/** Its controllers would change what tests have written into a status: none of those runs. */
async function realServer(assets: string): Promise<Server> {
  const plane = await startControlPlane(assets, {
    controllers: "serviceaccount-controller",
    disableAdmission: ["ServiceAccount"],
    users: { reader: "readers", stranger: "" },
  });
  const address = addressIn(plane.kubeconfig);
  return {
    transport: kubeconfigTransport(plane.kubeconfig, undefined, 100),
    connect: tokenTransports({ apiServer: address, authority: await authorityOf(address) }, {}),
    compact: () => compact(plane.etcd),
    ...(kubectl ? { kubectl: (command) => tryOut(command, assets, plane.kubeconfig) } : {}),
    close: plane.stop,
  };
}

function tryOut(command: string, assets: string, KUBECONFIG: string): string {
  const env = { ...process.env, KUBECONFIG, PATH: `${assets}:${process.env.PATH}` };
  return execFileSync("sh", ["-c", `${command} --dry-run=server`], { encoding: "utf8", env });
}

async function install(admin: Client): Promise<void> {
  const systems = ["volume", "satellite", "eviction"].flatMap((system) => [`access/${system}`, system]);
  const knatives = [...eventingDefinitions, serviceDefinition] as unknown as KubernetesObject[];
  const idOf = ({ kind, metadata }: KubernetesObject) => `${kind} ${metadata.namespace}/${metadata.name}`;
  // Systems share brokers.
  const objects = [
    ...new Map([...knatives, ...objectsIn(".", ...systems)].map((object) => [idOf(object), object])).values(),
  ];
  const isDefinition = ({ kind }: KubernetesObject) => kind === "CustomResourceDefinition";
  await create(admin, objects.filter(isDefinition));
  const lackOf = async () => {
    const served = new Set((await discover(admin, () => {})).map(({ plural }) => plural));
    return objects.filter(isDefinition).filter(({ metadata }) => !served.has(metadata.name.split(".")[0] ?? ""));
  };
  await poll("all kinds are served", async () => (await lackOf()).length === 0, { within: 60_000 });
  // Those of other software, in which rights are granted.
  const homes = new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []));
  const made = objects.flatMap(({ kind, metadata }) => (kind === "Namespace" ? [metadata.name] : []));
  const lacking = [...homes].filter((name) => ![...made, "default", "kube-system"].includes(name));
  for (const name of lacking)
    await create(admin, [{ apiVersion: "v1", kind: "Namespace", metadata: { name } } as KubernetesObject]);
  await create(
    admin,
    objects.filter((object) => !isDefinition(object)),
  );
}

/** Users in the group `readers` may read what the documents say that the pages need, and write nothing. */
const readOnly = [
  roleIn(join(import.meta.dirname, "../../docs/console.md")),
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "readers" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "holdfast-console-reader" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "readers" }],
  },
] as unknown as readonly KubernetesObject[];

function roleIn(document: string): unknown {
  const examples = [...readFileSync(document, "utf8").matchAll(/```yaml\n([\s\S]*?)```/g)];
  return examples.map(([, text = ""]) => parse(text)).find(({ kind }) => kind === "ClusterRole");
}
