import {
  LinstorCluster,
  LinstorSatellite,
  LinstorSatelliteConfiguration,
  Machine,
} from "../../../functions/satellite/lib/kinds.ts";
import { preTerminateHook } from "../../../functions/satellite/lib/names.ts";
import { Cluster } from "../../../local/cluster-api/kinds.ts";
import { Node } from "../../../shared/kubernetes/kind.ts";
import type { Scenario } from "../scenario.ts";
import type { User } from "../user.ts";
import { addMachine, made, type SimulatedLinstor, type VolumeOptions } from "./linstor.ts";
import { withSatellites } from "./settings.ts";

export const linstorOf = (user: User) => user.outside("satellite") as SimulatedLinstor;

/** Waits for what takes minutes where much goes wrong; whether it came true. */
async function until(user: User, check: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < 6; round++) {
    let came = false;
    await user.until(async () => {
      came = await check();
      return came;
    });
    if (came) return;
  }
}

const satellites = (user: User) => user.list(LinstorSatellite);
const isGone = (user: User, uid: string) => async () =>
  !(await satellites(user)).some(({ metadata }) => metadata.uid === uid);
const uidOf = async (user: User, node: string) =>
  (await satellites(user)).find(({ metadata }) => metadata.name === node)?.metadata.uid ?? "";
const isHooked = (user: User, name: string) => async () =>
  (await user.list(Machine)).some(
    ({ metadata, status }) =>
      metadata.name === name &&
      metadata.annotations?.[preTerminateHook] !== undefined &&
      (status as { nodeRef?: object } | undefined)?.nodeRef !== undefined,
  );
const machineIsGone = (user: User, name: string) => async () =>
  !(await user.list(Machine)).some(({ metadata }) => metadata.name === name);

/** Satellites on all four nodes, of which the last has the control plane. */
async function install(user: User, deletionPolicy: string, machines: readonly string[] = []): Promise<void> {
  const policy = made(LinstorSatelliteConfiguration, { metadata: { name: "all" }, spec: { deletionPolicy } });
  await user.attempt("says the policy", (client) => client.create(LinstorSatelliteConfiguration, policy));
  const cluster = made(LinstorCluster, { metadata: { name: "linstor" }, spec: { nodeSelector: { storage: "yes" } } });
  await user.attempt("creates the LinstorCluster", (client) => client.create(LinstorCluster, cluster));
  await until(user, async () => (await satellites(user)).length === 4);
  if (machines.length === 0) return;
  const controlPlane = { "cluster.x-k8s.io/control-plane": "" };
  await user.attempt("creates Machine control", (client) => addMachine(client, "control", "node-4", controlPlane));
  for (const node of machines) {
    await user.attempt(`creates Machine of ${node}`, (client) => addMachine(client, `m-${node}`, node));
    await until(user, isHooked(user, `m-${node}`));
  }
}

const addVolume = (user: User, name: string, copies: readonly string[], more?: VolumeOptions) =>
  user.attempt(`creates volume ${name} on ${copies.join(", ")}`, (client) =>
    linstorOf(user).addVolume(client, name, copies, more),
  );
const deleteMachine = (user: User, node: string) =>
  user.attempt(`deletes Machine m-${node}`, (client, namespace) => client.delete(Machine, namespace, `m-${node}`));
const patchNode = (user: User, node: string, spec: object) =>
  user.attempt(`patches Node ${node} with ${JSON.stringify(spec)}`, (client) =>
    client.patch(Node, undefined, node, "merge", { spec }),
  );
const leave = (user: User, node: string) =>
  patchNode(user, node, { unschedulable: true, taints: [{ key: "broken", effect: "NoExecute" }] });
const comeBack = (user: User, node: string) => patchNode(user, node, { unschedulable: null, taints: null });
const setPolicy = (user: User, deletionPolicy: string) =>
  user.attempt(`changes the policy to ${deletionPolicy}`, async (client) => {
    const patch = { spec: { deletionPolicy } };
    await client.patch(LinstorSatelliteConfiguration, undefined, "all", "merge", patch);
    for (const { metadata } of await satellites(user))
      await client.patch(LinstorSatellite, undefined, metadata.name, "merge", patch);
  });

// What a satellite owns goes with it.
const usual = { setting: withSatellites, waits: true, controllers: ["garbage-collector-controller"] };

/** What happens to Nodes with satellites. */
export const scenarios: readonly Scenario[] = [
  {
    ...usual,
    name: "machine-deleted",
    doc: "A Machine is deleted whose node has volumes: one used there and bound to it, one used, one at rest.",
    async act(user) {
      await install(user, "Evacuate", ["node-1"]);
      await addVolume(user, "bound", ["node-1", "node-2"], { used: true, bound: true, localOnly: true });
      await addVolume(user, "used", ["node-1", "node-3"], { used: true });
      await addVolume(user, "single", ["node-1"]);
      // What is new a function may not have seen yet.
      for (let round = 0; round < 16; round++) await user.pause(10_000);
      await deleteMachine(user, "node-1");
      await until(user, machineIsGone(user, "m-node-1"));
    },
  },
  {
    ...usual,
    name: "node-leaves-and-returns",
    doc: "A Node gets a taint, is evacuated, and gets its satellite back when the taint goes; twice.",
    async act(user) {
      await install(user, "Evacuate");
      await addVolume(user, "used", ["node-1", "node-2"], { used: true });
      for (const node of ["node-1", "node-2"]) {
        const uid = await uidOf(user, node);
        await user.pause(5_000);
        await leave(user, node);
        await until(user, isGone(user, uid));
        await user.pause(20_000);
        await comeBack(user, node);
      }
    },
  },
  {
    ...usual,
    name: "two-at-once",
    doc: "Two Machines are deleted together whose nodes share a volume; one evacuation at a time is allowed, or any number.",
    async act(user) {
      await install(user, "Evacuate", ["node-1", "node-2"]);
      if (user.random.below(2) === 0)
        await user.attempt("allows one evacuation at a time", (client) =>
          client.patch(LinstorCluster, undefined, "linstor", "merge", { spec: { maxConcurrentEvacuations: 1 } }),
        );
      await addVolume(user, "shared", ["node-1", "node-2"], { used: true });
      await addVolume(user, "other", ["node-2", "node-3"]);
      await deleteMachine(user, "node-1");
      await user.pause(20_000);
      await deleteMachine(user, "node-2");
      await until(user, machineIsGone(user, "m-node-1"));
      await until(user, machineIsGone(user, "m-node-2"));
    },
  },
  {
    ...usual,
    name: "policy-changed",
    doc: "While a Machine waits for its evacuation, the policy becomes Retain.",
    async act(user) {
      await install(user, "Evacuate", ["node-1"]);
      await addVolume(user, "bound", ["node-1", "node-2"], { used: true, bound: true, localOnly: true });
      await deleteMachine(user, "node-1");
      await user.pause(60_000);
      await setPolicy(user, "Retain");
      await until(user, machineIsGone(user, "m-node-1"));
    },
  },
  {
    ...usual,
    name: "satellite-away",
    doc: "The satellite of a node that leaves stops in the middle, or before, and comes back.",
    async act(user) {
      await install(user, "Evacuate");
      await addVolume(user, "used", ["node-1", "node-2"]);
      await addVolume(user, "single", ["node-1"]);
      const uid = await uidOf(user, "node-1");
      await leave(user, "node-1");
      await user.pause(5_000);
      linstorOf(user).stop("node-1");
      for (let round = 0; round < 4; round++) await user.pause(60_000);
      linstorOf(user).start("node-1");
      await until(user, isGone(user, uid));
    },
  },
  {
    ...usual,
    name: "given-up",
    doc: "A node with the policy Delete leaves, and its satellite stops a while later; one with Retain leaves and returns.",
    async act(user) {
      await install(user, "Delete");
      await addVolume(user, "kept", ["node-1", "node-2"]);
      await leave(user, "node-1");
      await user.pause(30_000);
      linstorOf(user).stop("node-1");
      await until(user, async () => !linstorOf(user).standIn.nodes().includes("node-1"));
      await setPolicy(user, "Retain");
      const uid = await uidOf(user, "node-3");
      await leave(user, "node-3");
      await until(user, isGone(user, uid));
      await comeBack(user, "node-3");
    },
  },
  {
    ...usual,
    name: "last-copy-stale",
    doc: "A node leaves with the only copy of a volume, which is Outdated: nothing is done until somebody has repaired it.",
    async act(user) {
      await install(user, "Evacuate");
      await addVolume(user, "single", ["node-1"]);
      const { standIn, forfeited } = linstorOf(user);
      forfeited.add("single");
      standIn.setDisk("single", "node-1", "Outdated");
      const uid = await uidOf(user, "node-1");
      await leave(user, "node-1");
      await user.pause(90_000);
      if (standIn.hasCopy("single", "node-1")) standIn.setDisk("single", "node-1", "UpToDate");
      await until(user, isGone(user, uid));
      forfeited.delete("single");
    },
  },
  {
    ...usual,
    name: "cluster-deleted",
    doc: "Cluster API's Cluster is deleted with all its Machines, which nothing is evacuated for.",
    async act(user) {
      await install(user, "Evacuate", ["node-1"]);
      await addVolume(user, "used", ["node-1", "node-2"], { used: true });
      const hold = { metadata: { finalizers: ["example.com/hold"] } };
      await user.attempt("deletes the Cluster", async (client, namespace) => {
        await client.patch(Cluster, namespace, "test", "merge", hold);
        await client.delete(Cluster, namespace, "test");
      });
      await user.pause(5_000);
      await deleteMachine(user, "node-1");
      await until(user, machineIsGone(user, "m-node-1"));
    },
  },
];
