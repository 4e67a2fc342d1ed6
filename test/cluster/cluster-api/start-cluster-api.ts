import { readFileSync } from "node:fs";
import { Cluster, Machine } from "../../../functions/satellite/lib/kinds.ts";
import type { MachineObject } from "../../../functions/satellite/lib/machine.ts";
import { GenericMachine } from "../../../local/cluster-api/kinds.ts";
import { isGone } from "../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { type Kind, Node } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { definitionsDeleted } from "../../harness/definitions-deleted.ts";
import { manifest } from "../../harness/manifest.ts";
import { poll } from "../../harness/poll.ts";
import { admissionIn, definitionsIn } from "./definitions.ts";
import { machineManager } from "./machine-manager.ts";

/**
 * Where Cluster API is to be had: the manager's binary and the folder of its definitions; else why not, in a sentence.
 */
export function findClusterApi(): { readonly binary: string; readonly folder: string } | string {
  const { CAPI_MANAGER: binary, HOLDFAST_CLUSTER_API_CRDS: folder } = process.env;
  if (!binary) return "CAPI_MANAGER names no manager of Cluster API.";
  return folder ? { binary, folder } : "HOLDFAST_CLUSTER_API_CRDS names no folder with the definitions of Cluster API.";
}

/** A real Machine controller at work; workload and management cluster are one. */
export interface ClusterApi {
  /** Makes a Cluster in a namespace, which it has to itself; `holdfast` unless it is named. */
  createCluster(namespace: string, name?: string): Promise<MachineCluster>;
  /** Ends the manager; writes to Machines are refused until it is started again. */
  stopManager(): Promise<void>;
  startManager(): Promise<void>;
  /** Takes everything off the cluster again. */
  stop(): Promise<void>;
}

export interface MachineCluster {
  /** Makes a Machine; resolves when it has found its Node. */
  machine(
    name: string,
    node: string,
    metadata?: { readonly labels?: Record<string, string>; readonly annotations?: Record<string, string> },
  ): Promise<void>;
}

const kind = (apiVersion: string, name: string, plural: string, namespaced = true): Kind => ({
  apiVersion,
  kind: name,
  plural,
  namespaced,
});
const GenericCluster = kind("infrastructure.cluster.x-k8s.io/v1", "GenericCluster", "genericclusters");
const Secret = kind("v1", "Secret", "secrets");
const Definition = kind("apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", false);
const admission = "admissionregistration.k8s.io/v1";
const Mutating = kind(admission, "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", false);
const Validating = kind(admission, "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", false);

/** Labels of a Machine that is part of the control plane: without one that stays, no Node is drained. */
export const controlPlane = { "cluster.x-k8s.io/control-plane": "" };
const readyWithin = 90_000;

/** Puts Cluster API on the API server of a kubeconfig, which must reach loopback. */
export async function startClusterApi(
  admin: Client,
  kubeconfig: string,
  { binary, folder }: Exclude<ReturnType<typeof findClusterApi>, string>,
): Promise<ClusterApi> {
  const manager = await machineManager(binary, kubeconfig);
  const definitions = definitionsIn(folder, manager.webhooks);
  const apply = (of: Kind, object: KubernetesObject) => {
    const { namespace, name } = object.metadata;
    return admin.patch(of, namespace, name, "apply", object, { fieldManager: "holdfast-test", force: true });
  };
  const webhooks = admissionIn(folder, manager.webhooks);
  const kindOf = ({ kind: name }: KubernetesObject) => (name === Mutating.kind ? Mutating : Validating);
  const namespaces: string[] = [];

  async function start(): Promise<void> {
    for (const definition of definitions) await apply(Definition, definition);
    for (const { metadata } of definitions)
      await eventually(`${metadata.name} is served`, async () => {
        const live = await admin.get<KubernetesObject & Conditions>(Definition, undefined, metadata.name);
        return live?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True");
      });
    await manager.start();
    for (const configuration of webhooks) await apply(kindOf(configuration), configuration);
  }
  /** Also what a failed start or test has left: otherwise every other file would meet webhooks without a server. */
  async function stop(): Promise<void> {
    for (const configuration of webhooks)
      await admin.delete(kindOf(configuration), undefined, configuration.metadata.name);
    await manager.stop();
    const names = definitions.map(({ metadata }) => metadata.name);
    try {
      for (const kind of [Machine, Cluster])
        for await (const { metadata } of admin.list(kind)) {
          const { namespace, name } = metadata;
          if (!namespaces.includes(namespace ?? "")) continue;
          await admin.delete(kind, namespace, name);
          await admin.patch(kind, namespace, name, "merge", { metadata: { finalizers: null } }).catch(unlessGone);
        }
    } finally {
      for (const name of names) await admin.delete(Definition, undefined, name);
    }
    // The next file begins with the same.
    await definitionsDeleted({ admin, eventually }, names);
  }

  await start().catch(async (error) => {
    await stop().catch(() => {});
    throw error;
  });
  return {
    createCluster: (namespace, name = "holdfast") => {
      namespaces.push(namespace);
      return createCluster(admin, kubeconfig, namespace, name);
    },
    stopManager: manager.stop,
    startManager: manager.start,
    stop,
  };
}

function unlessGone(error: unknown): void {
  if (!isGone(error)) throw error;
}

async function createCluster(
  admin: Client,
  kubeconfig: string,
  namespace: string,
  cluster: string,
): Promise<MachineCluster> {
  const make = async (of: Kind, name: string, rest: object, metadata: object = {}, status?: object) => {
    await admin.create(of, manifest(of, { name, namespace, ...metadata }, { ...rest }));
    if (status) await admin.patch(of, namespace, name, "merge", { status }, { subresource: "status" });
  };
  const reference = (of: Kind, name: string) => ({ apiGroup: of.apiVersion.split("/")[0], kind: of.kind, name });
  // No controller reconciles the infrastructure: it is there as soon as its status says so.
  const provisioned = { initialization: { provisioned: true } };
  const labels = { "cluster.x-k8s.io/cluster-name": cluster };
  const value = readFileSync(kubeconfig).toString("base64");
  await make(Secret, `${cluster}-kubeconfig`, { type: "cluster.x-k8s.io/secret", data: { value } }, { labels });
  const controlPlaneEndpoint = { host: "127.0.0.1", port: 6443 };
  await make(GenericCluster, cluster, { spec: { controlPlaneEndpoint } }, {}, provisioned);
  await make(Cluster, cluster, { spec: { infrastructureRef: reference(GenericCluster, cluster) } });
  return {
    async machine(name, node, metadata = {}) {
      const providerID = `generic:///${node}`;
      await admin.patch(Node, undefined, node, "merge", { spec: { providerID } });
      // Provisioned before the Machine exists: it finds its Node in the first pass.
      await make(GenericMachine, name, { spec: { providerID } }, {}, provisioned);
      const spec = {
        clusterName: cluster,
        // The manager never reads it.
        bootstrap: { dataSecretName: `${name}-bootstrap` },
        infrastructureRef: reference(GenericMachine, name),
      };
      await make(Machine, name, { spec }, { ...metadata, labels: { ...labels, ...metadata.labels } });
      await eventually(`Machine ${name} runs`, async () => {
        const live = await admin.get<MachineObject>(Machine, namespace, name);
        return live?.status?.phase === "Running" && live.status.nodeRef?.name === node;
      });
    },
  };
}

interface Conditions {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const eventually = <T>(what: string, check: () => T | Promise<T>) => poll(what, check, { within: readyWithin });
