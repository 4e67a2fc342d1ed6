import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { seededRandom } from "../../eventing/random.ts";
import { serveHttp } from "../../local/apiserver/http.ts";
import { createApiServer } from "../../local/apiserver/server.ts";
import { create } from "../../local/cluster/install.ts";
import { eventingDefinitions } from "../../local/knative/definitions.ts";
import { serviceDefinition } from "../../local/serving/definition.ts";
import { objectsIn } from "../../local/start/manifests.ts";
import { systemClock } from "../../shared/clock.ts";
import { type Client, createClient } from "../../shared/kubernetes/client.ts";
import { discover } from "../../shared/kubernetes/discover.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";

/** The laptop edition's API server with what Holdfast installs, and no function that runs: what is on it stays. */
export interface StillCluster {
  readonly url: string;
  readonly admin: Client;
  /** Carries the administrator's credential. */
  readonly transport: Transport;
  /** Tokens of users: of one who may do everything, of one who may only read, and of one who has no right. */
  readonly tokens: { readonly admin: string; readonly reader: string; readonly stranger: string };
  /** Creates objects, with their status. */
  add(objects: readonly object[]): Promise<void>;
  compact(): void;
  close(): Promise<void>;
}

const tokens = { admin: "admin-token", reader: "reader-token", stranger: "stranger-token" };

/** Starts one. `isEmpty`: without anything of Holdfast. */
export async function stillCluster({ isEmpty = false } = {}): Promise<StillCluster> {
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
  const transport: Transport = (request) =>
    server.handle({ ...request, headers: { ...request.headers, authorization: `Bearer ${tokens.admin}` } });
  const admin = createClient(transport, { clock: systemClock });
  await create(admin, readOnly);
  if (!isEmpty) {
    await create(admin, [...eventingDefinitions, serviceDefinition] as unknown as KubernetesObject[]);
    const systems = ["volume", "satellite", "eviction"].flatMap((system) => [`access/${system}`, system]);
    const objects = objectsIn(".", ...systems);
    // Those of other software, in which rights are granted.
    const homes = new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []));
    const made = objects.flatMap(({ kind, metadata }) => (kind === "Namespace" ? [metadata.name] : []));
    const lacking = [...homes].filter((name) => ![...made, "default", "kube-system"].includes(name));
    for (const name of lacking)
      await create(admin, [{ apiVersion: "v1", kind: "Namespace", metadata: { name } } as KubernetesObject]);
    const idOf = ({ kind, metadata }: KubernetesObject) => `${kind} ${metadata.namespace}/${metadata.name}`;
    // Systems share brokers.
    await create(admin, [...new Map(objects.map((object) => [idOf(object), object])).values()]);
  }
  return {
    url: http.url,
    admin,
    transport,
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
    compact: server.compact,
    async close() {
      server.close();
      await http.close();
    },
  };
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
