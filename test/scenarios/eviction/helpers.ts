import { expect } from "vitest";
import { bases, dependents as kinds, NeutronL2Agent, NovaComputeNode } from "../../../functions/eviction/lib/kinds.ts";
import { approvalKey, conditions } from "../../../functions/eviction/lib/names.ts";
import { locksOn, maintenanceLabel } from "../../../functions/eviction/lib/node-lock.ts";
import { l3, type Service } from "../../../functions/eviction/lib/openstack/neutron.ts";
import type { DependentObject, NeutronL2AgentObject } from "../../../functions/eviction/lib/schema.ts";
import { isAlreadyExists } from "../../../shared/kubernetes/api-error.ts";
import { type Kind, Namespace, Node, Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { manifest } from "../../worlds/manifest.ts";
import type { World } from "../../worlds/world.ts";
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
export async function swept<T>(world: World, what: string, check: () => Promise<T | undefined | false>): Promise<T> {
  const end = world.clock.now() + patience;
  for (let tick = 0; tick < 60 || world.clock.now() < end; tick++) {
    const found = await check();
    if (found) return found;
    await world.sweep();
    await world.rest();
  }
  const all = await Promise.all([...kinds, ...bases].map((kind) => world.admin.get(kind, namespace, node)));
  const left = all.flatMap((one) => (one ? [[one.kind, one.metadata, one.status]] : []));
  throw new Error(`It has not come about: ${what}. ${JSON.stringify(left)}`);
}

export const computeOf = (world: World): Promise<DependentObject | undefined> =>
  world.admin.get<DependentObject>(NovaComputeNode, namespace, node);
export const podOf = (world: World, name = computePod): Promise<KubernetesObject | undefined> =>
  world.admin.get(Pod, namespace, name);
const nodeOf = async (world: World): Promise<KubernetesObject> =>
  (await world.admin.get(Node, undefined, node)) as KubernetesObject;
export const labelOf = async (world: World) => (await nodeOf(world)).metadata.labels?.[maintenanceLabel];
export const locksOf = async (world: World) => locksOn(await nodeOf(world));

/** A condition of the resource of a kind as `status reason: message`. */
export async function conditionOf(
  world: World,
  type: keyof typeof conditions,
  kind: Kind = NovaComputeNode,
): Promise<string> {
  const object = await world.admin.get<DependentObject>(kind, namespace, node);
  const found = object?.status?.conditions?.find((one) => one.type === conditions[type]);
  return found ? `${found.status} ${found.reason}: ${found.message}` : "";
}

/** As `yaookctl` reads a NovaComputeNode. */
export async function counters(world: World): Promise<Readonly<Record<string, number | boolean>>> {
  const message = (await conditionOf(world, "evicted")).replace(/^.*?: /, "");
  return message ? JSON.parse(message) : {};
}

/** A Node whose L2 agent is ready, with a NovaComputeNode that serves; the hosts of the cloud as they were at first. */
export async function serving(world: World): Promise<void> {
  const { admin } = world;
  await besideOf(world).cloud.cleanUp();
  await admin.create(Namespace, manifest(Namespace, { name: namespace })).catch((error) => {
    if (!isAlreadyExists(error)) throw error;
  });
  await admin.create(NeutronL2Agent, manifest(NeutronL2Agent, { name: node, namespace }, { spec: { template } }));
  await swept(world, "the L2 agent is ready", async () => (await labelOf(world)) === "False");
  await create(world);
  await swept(world, "the compute node serves", async () => (await conditionOf(world, "enabled")).startsWith("True"));
}

export async function create(
  world: World,
  pods: object = { template },
  kind: Kind = NovaComputeNode,
  name: string = node,
): Promise<void> {
  await world.admin.create(kind, manifest(kind, { name, namespace }, { spec: { state: "Enabled", ...pods } }));
}

/** Creates a resource of an agent's kind, and waits until the agent serves. */
export async function createAgent(world: World, kind: Kind): Promise<void> {
  await create(world, { template }, kind);
  await serves(world, kind);
}
export const serves = (world: World, kind: Kind) =>
  swept(world, `the ${kind.kind} serves`, async () => (await conditionOf(world, "enabled", kind)).startsWith("True"));
export const removeAgent = (world: World, kind: Kind) => world.admin.delete(kind, namespace, node);
export const annotateAgent = (world: World, kind: Kind, annotations: Record<string, string | null>) =>
  world.admin.patch(kind, namespace, node, "merge", { metadata: { annotations } });
export const approveAgent = (world: World, kind: Kind) => annotateAgent(world, kind, { [approvalKey]: "true" });
export const isAgentGone = (world: World, kind: Kind) =>
  swept(world, `the ${kind.kind} is gone`, async () => !(await world.admin.get(kind, namespace, node)));

/** A new router or network that the agent of the host serves. */
export async function serve(world: World, service: Service): Promise<string> {
  const { cloud } = besideOf(world);
  const id = await cloud.make(service === l3 ? "router" : "network");
  await cloud.neutron().add(service, (await agentOn(world, service)).id, id);
  expect(await hostsOf(world, service, id)).toEqual([node]);
  return id;
}
export async function agentOn(world: World, service: Service, host: string = node) {
  const found = (await besideOf(world).cloud.neutron().agents(service)).find((agent) => agent.host === host);
  if (!found) throw new Error(`There is no ${service.agentType} on ${host}.`);
  return found;
}
/** The hosts whose agents serve a router or a network. */
export const hostsOf = async (world: World, service: Service, id: string) =>
  (await besideOf(world).cloud.neutron().agentsOf(service, id))?.map(({ host }) => host).toSorted();
export const agentPod = (kind: Kind) => `${kind.kind.toLowerCase()}-${node}`;

/** The label by which another operator's pods are scheduled. */
export const schedulingLabel = { key: "compute.yaook.cloud/hypervisor", value: "true" };

/** What another operator does: its pod is on the Node as long as the label is. */
export async function operate(world: World, key = schedulingLabel.key, app = "nova-compute"): Promise<void> {
  const { admin } = world;
  const isWanted = (await nodeOf(world)).metadata.labels?.[key] === schedulingLabel.value;
  const metadata = { name: `${app}-x`, namespace, labels: { app } };
  const present = await podOf(world, metadata.name);
  if (isWanted && !present) await admin.create(Pod, manifest(Pod, metadata, { spec: { containers, nodeName: node } }));
  if (!isWanted && present) await admin.delete(Pod, namespace, metadata.name, { gracePeriodSeconds: 0 });
}

/** Deletes what a scenario has left, with all finalizers: scenarios share the Node where they share a cluster. */
export async function cleared(world: World): Promise<void> {
  const { admin } = world;
  for (const kind of [...kinds, ...bases]) {
    await admin.delete(kind, namespace, node);
    if (await admin.get(kind, namespace, node))
      await admin.patch(kind, namespace, node, "merge", { metadata: { finalizers: null } });
  }
  // A function that looked before may still create a pod.
  await world.rest();
  for (const kind of [...kinds, ...bases])
    await admin.delete(Pod, namespace, agentPod(kind), { gracePeriodSeconds: 0 });
  const locks = Object.fromEntries(
    (await locksOf(world)).map((name) => [`l2-lock.maintenance.yaook.cloud/${name}`, null]),
  );
  const metadata = { annotations: locks, labels: { [maintenanceLabel]: null } };
  await admin.patch(Node, undefined, node, "merge", { metadata });
  await besideOf(world).cloud.cleanUp();
}

export async function annotateCompute(world: World, annotations: Record<string, string | null>): Promise<void> {
  await world.admin.patch(NovaComputeNode, namespace, node, "merge", { metadata: { annotations } });
}
export const approve = (world: World) => annotateCompute(world, { [approvalKey]: "true" });
export async function setState(world: World, state: string): Promise<void> {
  await world.admin.patch(NovaComputeNode, namespace, node, "merge", { spec: { state } });
}
/** Changes the template of the L2 agent, to which a person agrees. */
export const updateL2Agent = (
  world: World,
  annotations: Record<string, string> = { [approvalKey]: "true" },
  kind: Kind = NeutronL2Agent,
) => {
  const patch = {
    metadata: { annotations },
    spec: { template: { metadata: { labels: { app: "agent", version: "2" } } } },
  };
  return world.admin.patch<NeutronL2AgentObject>(kind, namespace, node, "merge", patch);
};

/** Boots servers on the host: so many that run, so many that are off. */
export async function boot(world: World, running: number, off = 0): Promise<readonly string[]> {
  const { cloud } = besideOf(world);
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
export async function whileItMoves(world: World, host: string): Promise<void> {
  const { cloud, standIn, wire } = besideOf(world);
  const isRunning = async () => (await cloud.nova().migrations(node)).some(({ status }) => status === "running");
  let isStopped = false;
  wire.step = async (request, send) => {
    const response = await send();
    if (!request.body?.includes("os-migrateLive") || isStopped) return response;
    isStopped = true;
    // It takes five seconds.
    if (standIn) await world.clock.sleep(3000);
    else await cloud.until("a server is on its way", isRunning);
    await cloud.under.control?.stop(host);
    return response;
  };
  await swept(world, "nova-compute stops in the middle of a move", async () => isStopped);
  wire.step = (_, send) => send();
}

/** What the garbage collector takes before the resource when that is deleted with `--cascade=foreground`. */
export const dependents = async (world: World): Promise<readonly string[]> =>
  [await podOf(world), await podOf(world, l2Pod)].flatMap((pod) =>
    pod?.metadata.ownerReferences ? [pod.metadata.name] : [],
  );

/** Where servers are, and how, as `status host`. */
export async function whereabouts(world: World, ids: readonly string[]): Promise<readonly string[]> {
  const { cloud } = besideOf(world);
  const all = [];
  for (const id of ids) all.push(await cloud.server(id));
  return all.map(({ status, host }) => `${status} ${host}`);
}

export async function serviceOf(world: World) {
  const found = await besideOf(world).cloud.nova().service(node);
  expect(found).toBeDefined();
  return found as NonNullable<typeof found>;
}

/** Twice as long as anything would need that must not happen. */
export async function nothingHappens(world: World): Promise<void> {
  for (let i = 0; i < 2; i++) {
    await world.sweep();
    await world.rest();
  }
}

/** Records what is still on the Node and the host whenever a function takes something off. */
export function watchOrder(world: World, problems: string[]): void {
  world.intercept(async ({ rule, request }, send) => {
    const body = typeof request.body === "string" ? request.body : "";
    const isUnlock = request.method === "PATCH" && request.path.includes("/nodes/") && /l2-lock[^"]*":null/.test(body);
    const isDelete = request.method === "DELETE" && request.path.includes("/pods/");
    if (isUnlock && body.includes(NovaComputeNode.kind) && (await podOf(world)))
      problems.push(`${rule} takes the lock off while the pod is there`);
    // What has ended is deleted to come again.
    if (isDelete && request.path.includes("novacomputenode-") && rule !== "eviction/keep-pod") {
      const { cloud, standIn } = besideOf(world);
      const left = standIn
        ? [...standIn.cloud.instances.values()].filter(({ host }) => host === node)
        : await cloud.nova().servers(node);
      if (left.length > 0) problems.push(`${rule} deletes the pod while ${left.length} servers are there`);
    }
    const unlocked = /l2-lock[^"]*\/(Neutron\w+Agent)":null/.exec(body)?.[1];
    if (unlocked && (await podOf(world, `${unlocked.toLowerCase()}-${node}`)))
      problems.push(`${rule} takes the lock ${unlocked} off while the pod is there`);
    if (isDelete && request.path.includes("neutronl3agent-")) {
      const { cloud, standIn } = besideOf(world);
      const served = standIn
        ? [...standIn.network.all.values()].filter(({ agents }) =>
            agents.includes(standIn.network.agent(node, "l3").id),
          )
        : await cloud.neutron().served(l3, (await agentOn(world, l3)).id);
      if (served.length > 0) problems.push(`${rule} deletes the pod while ${served.length} routers are there`);
    }
    if (isDelete && request.path.includes("neutronl2agent-") && (await locksOf(world)).length > 0)
      problems.push(`${rule} deletes the L2 agent's pod while a lock is on the Node`);
    return send();
  }, "everywhere");
}
