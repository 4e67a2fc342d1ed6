import { expect } from "vitest";
import { bases, dependents as kinds, NeutronL2Agent, NovaComputeNode } from "../../../functions/eviction/lib/kinds.ts";
import { approvalKey, conditions } from "../../../functions/eviction/lib/names.ts";
import { locksOn, maintenanceLabel } from "../../../functions/eviction/lib/node-lock.ts";
import { l3, type Service } from "../../../functions/eviction/lib/openstack/neutron.ts";
import type { DependentObject, NeutronL2AgentObject } from "../../../functions/eviction/lib/schema.ts";
import { isAlreadyExists } from "../../../shared/kubernetes/api-error.ts";
import { type Kind, Namespace, Node, Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Cluster } from "../../harness/cluster.ts";
import { manifest } from "../../harness/manifest.ts";
import { besideOf, hosts } from "./settings.ts";

/** Where Yaook's resources are by default. */
export const namespace = "yaook";
export const [node, other] = hosts;
const l2Pod = `neutronl2agent-${node}`;
export const computePod = `novacomputenode-${node}`;

const containers = [{ name: "agent", image: "agent" }];
const template = { metadata: { labels: { app: "agent" } }, spec: { containers } };

/** On a real cluster a move that Nova finds lost after two minutes of silence is the slowest of all. */
const patience = 300_000;

/** Lets time pass and the sweep come until `check` returns something. */
export async function swept<T>(
  cluster: Cluster,
  what: string,
  check: () => Promise<T | undefined | false>,
): Promise<T> {
  const end = cluster.clock.now() + patience;
  for (let tick = 0; tick < 60 || cluster.clock.now() < end; tick++) {
    const found = await check();
    if (found) return found;
    await cluster.sweep();
    await cluster.rest();
  }
  const all = await Promise.all([...kinds, ...bases].map((kind) => cluster.admin.get(kind, namespace, node)));
  const left = all.flatMap((one) => (one ? [[one.kind, one.metadata, one.status]] : []));
  throw new Error(`It has not come about: ${what}. ${JSON.stringify(left)}`);
}

export const computeOf = (cluster: Cluster): Promise<DependentObject | undefined> =>
  cluster.admin.get<DependentObject>(NovaComputeNode, namespace, node);
export const podOf = (cluster: Cluster, name = computePod): Promise<KubernetesObject | undefined> =>
  cluster.admin.get(Pod, namespace, name);
const nodeOf = async (cluster: Cluster): Promise<KubernetesObject> =>
  (await cluster.admin.get(Node, undefined, node)) as KubernetesObject;
export const labelOf = async (cluster: Cluster) => (await nodeOf(cluster)).metadata.labels?.[maintenanceLabel];
export const locksOf = async (cluster: Cluster) => locksOn(await nodeOf(cluster));

/** A condition of the resource of a kind as `status reason: message`. */
export async function conditionOf(
  cluster: Cluster,
  type: keyof typeof conditions,
  kind: Kind = NovaComputeNode,
): Promise<string> {
  const object = await cluster.admin.get<DependentObject>(kind, namespace, node);
  const found = object?.status?.conditions?.find((one) => one.type === conditions[type]);
  return found ? `${found.status} ${found.reason}: ${found.message}` : "";
}

/** Waits until a condition of the resource of a kind has this text, and returns it. */
export const says = (
  cluster: Cluster,
  text: string | RegExp,
  kind: Kind = NovaComputeNode,
  type: keyof typeof conditions = "converged",
) =>
  swept(cluster, `${type} of the ${kind.kind} says ${text}`, async () => {
    const said = await conditionOf(cluster, type, kind);
    return (typeof text === "string" ? said.includes(text) : text.test(said)) && said;
  });

/** As `yaookctl` reads a NovaComputeNode. */
export async function counters(cluster: Cluster): Promise<Readonly<Record<string, number | boolean>>> {
  const message = (await conditionOf(cluster, "evicted")).replace(/^.*?: /, "");
  return message ? JSON.parse(message) : {};
}

/** A Node whose L2 agent is ready, with a NovaComputeNode that serves; the hosts of the cloud as they were at first. */
export async function serving(cluster: Cluster): Promise<void> {
  const { admin } = cluster;
  await besideOf(cluster).cloud.cleanUp();
  await admin.create(Namespace, manifest(Namespace, { name: namespace })).catch((error) => {
    if (!isAlreadyExists(error)) throw error;
  });
  await admin.create(NeutronL2Agent, manifest(NeutronL2Agent, { name: node, namespace }, { spec: { template } }));
  await swept(cluster, "the L2 agent is ready", async () => (await labelOf(cluster)) === "False");
  await create(cluster);
  await serves(cluster);
}

export async function create(
  cluster: Cluster,
  pods: object = { template },
  kind: Kind = NovaComputeNode,
  name: string = node,
): Promise<void> {
  await cluster.admin.create(kind, manifest(kind, { name, namespace }, { spec: { state: "Enabled", ...pods } }));
}

/** Creates a resource of an agent's kind, and waits until the agent serves. */
export async function createAgent(cluster: Cluster, kind: Kind): Promise<void> {
  await create(cluster, { template }, kind);
  await serves(cluster, kind);
}
export const serves = (cluster: Cluster, kind: Kind = NovaComputeNode) => says(cluster, /^True/, kind, "enabled");
export const isEvicted = (cluster: Cluster, kind?: Kind) => says(cluster, /^Evicted/, kind, "evicted");
export const remove = (cluster: Cluster, kind: Kind = NovaComputeNode) => cluster.admin.delete(kind, namespace, node);
export const annotate = (cluster: Cluster, annotations: Record<string, string | null>, kind: Kind = NovaComputeNode) =>
  cluster.admin.patch(kind, namespace, node, "merge", { metadata: { annotations } });
export const approve = (cluster: Cluster, kind: Kind = NovaComputeNode) =>
  annotate(cluster, { [approvalKey]: "true" }, kind);
export const isGone = (cluster: Cluster, kind: Kind = NovaComputeNode) =>
  swept(cluster, `the ${kind.kind} is gone`, async () => !(await cluster.admin.get(kind, namespace, node)));

/** Deletes the resources of these kinds, and agrees to their evictions. */
export async function evict(cluster: Cluster, ...kinds: readonly Kind[]): Promise<void> {
  const all = kinds.length > 0 ? kinds : [NovaComputeNode];
  for (const kind of all) await remove(cluster, kind);
  for (const kind of all) await approve(cluster, kind);
}

/** A new router or network that the agent of the host serves. */
export async function serve(cluster: Cluster, service: Service): Promise<string> {
  const { cloud } = besideOf(cluster);
  const id = await cloud.make(service === l3 ? "router" : "network");
  await cloud.neutron().add(service, (await agentOn(cluster, service)).id, id);
  expect(await hostsOf(cluster, service, id)).toEqual([node]);
  return id;
}
export async function agentOn(cluster: Cluster, service: Service, host: string = node) {
  const found = (await besideOf(cluster).cloud.neutron().agents(service)).find((agent) => agent.host === host);
  if (!found) throw new Error(`There is no ${service.agentType} on ${host}.`);
  return found;
}
/** The hosts whose agents serve a router or a network. */
export const hostsOf = async (cluster: Cluster, service: Service, id: string) =>
  (await besideOf(cluster).cloud.neutron().agentsOf(service, id))?.map(({ host }) => host).toSorted();
export const agentPod = (kind: Kind) => `${kind.kind.toLowerCase()}-${node}`;

/** The label by which another operator's pods are scheduled. */
export const schedulingLabel = { key: "compute.yaook.cloud/hypervisor", value: "true" };

/** What another operator does: its pod is on the Node as long as the label is. */
export async function operate(cluster: Cluster, key = schedulingLabel.key, app = "nova-compute"): Promise<void> {
  const { admin } = cluster;
  const isWanted = (await nodeOf(cluster)).metadata.labels?.[key] === schedulingLabel.value;
  const metadata = { name: `${app}-x`, namespace, labels: { app } };
  const present = await podOf(cluster, metadata.name);
  if (isWanted && !present) await admin.create(Pod, manifest(Pod, metadata, { spec: { containers, nodeName: node } }));
  if (!isWanted && present) await admin.delete(Pod, namespace, metadata.name, { gracePeriodSeconds: 0 });
}

/** Deletes what a scenario has left, with all finalizers: scenarios share the Node where they share a cluster. */
export async function cleared(cluster: Cluster): Promise<void> {
  const { admin } = cluster;
  for (const kind of [...kinds, ...bases]) {
    await admin.delete(kind, namespace, node);
    if (await admin.get(kind, namespace, node))
      await admin.patch(kind, namespace, node, "merge", { metadata: { finalizers: null } });
  }
  // A function that looked before may still create a pod.
  await cluster.rest();
  for (const kind of [...kinds, ...bases])
    await admin.delete(Pod, namespace, agentPod(kind), { gracePeriodSeconds: 0 });
  const locks = Object.fromEntries(
    (await locksOf(cluster)).map((name) => [`l2-lock.maintenance.yaook.cloud/${name}`, null]),
  );
  const metadata = { annotations: locks, labels: { [maintenanceLabel]: null } };
  await admin.patch(Node, undefined, node, "merge", { metadata });
  await besideOf(cluster).cloud.cleanUp();
}

export async function setState(cluster: Cluster, state: string, kind: Kind = NovaComputeNode): Promise<void> {
  await cluster.admin.patch(kind, namespace, node, "merge", { spec: { state } });
}
/** Changes the template of the L2 agent, to which a person agrees. */
export const updateL2Agent = (
  cluster: Cluster,
  annotations: Record<string, string> = { [approvalKey]: "true" },
  kind: Kind = NeutronL2Agent,
) => {
  const patch = {
    metadata: { annotations },
    spec: { template: { metadata: { labels: { app: "agent", version: "2" } } } },
  };
  return cluster.admin.patch<NeutronL2AgentObject>(kind, namespace, node, "merge", patch);
};

/** Waits, with sweeps, until the L2 agent of the Node has another pod than the one of this uid. */
export const l2PodIsNew = (cluster: Cluster, before: string | undefined) =>
  swept(cluster, "the L2 agent's pod is a new one", async () => {
    const pod = await podOf(cluster, agentPod(NeutronL2Agent));
    return pod && pod.metadata.uid !== before;
  });

/** Boots servers on the host: so many that run, so many that are off. */
export async function boot(cluster: Cluster, running: number, off = 0): Promise<readonly string[]> {
  const { cloud } = besideOf(cluster);
  const ids: string[] = [];
  for (let i = 0; i < running + off; i++) {
    const id = await cloud.boot(node);
    if (i >= running) {
      await cloud.act(id, { "os-stop": null });
      await cloud.reaches(id, "SHUTOFF");
    }
    ids.push(id);
  }
  return ids;
}

/** Waits until Holdfast moves a server live, and stops nova-compute of a host in the middle of it. */
export async function whileItMoves(cluster: Cluster, host: string): Promise<void> {
  const { cloud, standIn, wire } = besideOf(cluster);
  const isRunning = async () => (await cloud.nova().migrations(node)).some(({ status }) => status === "running");
  let isStopped = false;
  wire.step = async (request, send) => {
    const response = await send();
    if (!request.body?.includes("os-migrateLive") || isStopped) return response;
    isStopped = true;
    // It takes five seconds.
    if (standIn) await cluster.clock.sleep(3000);
    else await cloud.until("a server is on its way", isRunning);
    await cloud.under.control?.stop(host);
    return response;
  };
  await swept(cluster, "nova-compute stops in the middle of a move", async () => isStopped);
  wire.step = (_, send) => send();
}

/**
 * The first PUT with this text arrives 500 seconds later, when its caller has given up. Returns whether it was sent.
 */
export function delaysFirst(cluster: Cluster, text: string): () => Promise<boolean> {
  let isLate = false;
  besideOf(cluster).wire.step = async (request, send) => {
    if (isLate || request.method !== "PUT" || !request.body?.includes(text)) return send();
    isLate = true;
    void cluster.clock.sleep(500_000).then(send);
    throw new Error("socket hang up");
  };
  return async () => isLate;
}

/** What the garbage collector takes before the resource when that is deleted with `--cascade=foreground`. */
export const dependents = async (cluster: Cluster): Promise<readonly string[]> =>
  [await podOf(cluster), await podOf(cluster, l2Pod)].flatMap((pod) =>
    pod?.metadata.ownerReferences ? [pod.metadata.name] : [],
  );

/** Where servers are, and how, as `status host`. */
export async function whereabouts(cluster: Cluster, ids: readonly string[]): Promise<readonly string[]> {
  const { cloud } = besideOf(cluster);
  const all = [];
  for (const id of ids) all.push(await cloud.server(id));
  return all.map(({ status, host }) => `${status} ${host}`);
}

export async function serviceOf(cluster: Cluster) {
  const found = await besideOf(cluster).cloud.nova().service(node);
  expect(found).toBeDefined();
  return found as NonNullable<typeof found>;
}

/** Twice as long as anything would need that must not happen. */
export async function nothingHappens(cluster: Cluster): Promise<void> {
  for (let i = 0; i < 2; i++) {
    await cluster.sweep();
    await cluster.rest();
  }
}

/** Records what is still on the Node and the host whenever a function takes something off. */
export function watchOrder(cluster: Cluster, problems: string[]): void {
  cluster.intercept(async ({ rule, request }, send) => {
    const body = typeof request.body === "string" ? request.body : "";
    const isUnlock = request.method === "PATCH" && request.path.includes("/nodes/") && /l2-lock[^"]*":null/.test(body);
    const isDelete = request.method === "DELETE" && request.path.includes("/pods/");
    if (isUnlock && body.includes(NovaComputeNode.kind) && (await podOf(cluster)))
      problems.push(`${rule} takes the lock off while the pod is there`);
    // What has ended is deleted to come again.
    if (isDelete && request.path.includes("novacomputenode-") && rule !== "eviction/keep-pod") {
      const { cloud, standIn } = besideOf(cluster);
      const left = standIn
        ? [...standIn.cloud.instances.values()].filter(({ host }) => host === node)
        : await cloud.nova().servers(node);
      if (left.length > 0) problems.push(`${rule} deletes the pod while ${left.length} servers are there`);
    }
    const unlocked = /l2-lock[^"]*\/(Neutron\w+Agent)":null/.exec(body)?.[1];
    if (unlocked && (await podOf(cluster, `${unlocked.toLowerCase()}-${node}`)))
      problems.push(`${rule} takes the lock ${unlocked} off while the pod is there`);
    if (isDelete && request.path.includes("neutronl3agent-")) {
      const { cloud, standIn } = besideOf(cluster);
      const served = standIn
        ? [...standIn.network.all.values()].filter(({ agents }) =>
            agents.includes(standIn.network.agent(node, "l3").id),
          )
        : await cloud.neutron().served(l3, (await agentOn(cluster, l3)).id);
      if (served.length > 0) problems.push(`${rule} deletes the pod while ${served.length} routers are there`);
    }
    if (isDelete && request.path.includes("neutronl2agent-") && (await locksOf(cluster)).length > 0)
      problems.push(`${rule} deletes the L2 agent's pod while a lock is on the Node`);
    return send();
  }, "everywhere");
}
