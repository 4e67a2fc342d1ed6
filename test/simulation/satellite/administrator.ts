import {
  LinstorCluster,
  LinstorSatellite,
  LinstorSatelliteConfiguration,
  Machine,
} from "../../../functions/satellite/lib/kinds.ts";
import { preTerminateHook } from "../../../functions/satellite/lib/machine.ts";
import { Node } from "../../../shared/kubernetes/kind.ts";
import type { User } from "../user.ts";
import { addMachine, apartAt, made, type SimulatedLinstor, type VolumeOptions } from "./linstor.ts";

/** The LINSTOR of a run. */
export const linstorOf = (user: User) => user.outside("satellite") as SimulatedLinstor;

/** Waits two minutes for what takes long where much goes wrong. */
export async function until(user: User, check: () => Promise<boolean>): Promise<void> {
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
/** Whether the LinstorSatellite of this uid is gone; one that never came is not. */
export const isGone = (user: User, uid: string) => async () =>
  uid !== "" && !(await satellites(user)).some(({ metadata }) => metadata.uid === uid);
/** The uid of a Node's LinstorSatellite, which may be late; empty where it does not come. */
export async function uidOf(user: User, node: string): Promise<string> {
  let uid: string | undefined;
  const isThere = async () => {
    uid = (await satellites(user)).find(({ metadata }) => metadata.name === node)?.metadata.uid;
    return uid !== undefined;
  };
  if (!(await isThere())) await until(user, isThere);
  return uid ?? "";
}
const isHooked = (user: User, name: string) => async () =>
  (await user.list(Machine)).some(
    ({ metadata, status }) =>
      metadata.name === name &&
      metadata.annotations?.[preTerminateHook] !== undefined &&
      (status as { nodeRef?: object } | undefined)?.nodeRef !== undefined,
  );
/** Whether there is no Machine of this name. */
export const machineIsGone = (user: User, name: string) => async () =>
  !(await user.list(Machine)).some(({ metadata }) => metadata.name === name);

/** Satellites on all four nodes, of which the last has the control plane. */
export async function install(user: User, deletionPolicy: string, machines: readonly string[] = []): Promise<void> {
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

/** Satellites of a LINSTOR that is apart, on two Nodes more. */
export async function installApart(user: User): Promise<void> {
  await user.attempt("adds Nodes of another LINSTOR", (client) => linstorOf(user).addApart(client));
  const spec = { nodeSelector: { storage: "apart" }, externalController: { url: apartAt } };
  const cluster = made(LinstorCluster, { metadata: { name: "apart" }, spec });
  await user.attempt("creates the LinstorCluster apart", (client) => client.create(LinstorCluster, cluster));
  await until(user, async () => (await satellites(user)).length === 6);
}

/** The same under Evacuate, with a Machine and a volume of node-1 that is used there, and can be used nowhere else. */
export async function installWithBound(user: User): Promise<void> {
  await install(user, "Evacuate", ["node-1"]);
  await addVolume(user, "bound", ["node-1", "node-2"], { used: true, bound: true, localOnly: true });
}

/** Creates a PersistentVolume with copies in LINSTOR on these nodes. */
export const addVolume = (user: User, name: string, copies: readonly string[], more?: VolumeOptions) =>
  user.attempt(`creates volume ${name} on ${copies.join(", ")}`, (client) =>
    linstorOf(user).addVolume(client, name, copies, more),
  );
/** Deletes the Machine of a Node. */
export const deleteMachine = (user: User, node: string) =>
  user.attempt(`deletes Machine m-${node}`, (client, namespace) => client.delete(Machine, namespace, `m-${node}`));
const patchNode = (user: User, node: string, spec: object) =>
  user.attempt(`patches Node ${node} with ${JSON.stringify(spec)}`, (client) =>
    client.patch(Node, undefined, node, "merge", { spec }),
  );
/** Cordons a Node, and gives it a taint that no satellite tolerates. */
export const leave = (user: User, node: string) =>
  patchNode(user, node, { unschedulable: true, taints: [{ key: "broken", effect: "NoExecute" }] });
/** Undoes {@link leave}. */
export const comeBack = (user: User, node: string) => patchNode(user, node, { unschedulable: null, taints: null });
/** Changes the policy in the configuration, and on satellites that no configuration reaches any more. */
export const setPolicy = (user: User, deletionPolicy: string) =>
  user.attempt(`changes the policy to ${deletionPolicy}`, async (client) => {
    const patch = { spec: { deletionPolicy } };
    await client.patch(LinstorSatelliteConfiguration, undefined, "all", "merge", patch);
    for (const { metadata } of await satellites(user))
      await client.patch(LinstorSatellite, undefined, metadata.name, "merge", patch);
  });
