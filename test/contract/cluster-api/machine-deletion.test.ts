import { afterAll, test as base, beforeAll, describe, expect } from "vitest";
import { seededRandom } from "../../../eventing/random.ts";
import { Cluster, Machine, VolumeAttachment } from "../../../functions/satellite/lib/kinds.ts";
import {
  preDrainHook as preDrain,
  preTerminateHook as preTerminate,
} from "../../../functions/satellite/lib/machine.ts";
import { definitions, GenericMachine } from "../../../local/cluster-api/kinds.ts";
import type { MachineObject } from "../../../local/cluster-api/machine.ts";
import { startMachines } from "../../../local/cluster-api/start-machines.ts";
import { createControllerTools } from "../../../local/controllers/controller-tools.ts";
import { CustomResourceDefinition } from "../../../local/controllers/objects/kinds.ts";
import { createPod, openWorld, type World } from "../../../local/controllers/testing/world.ts";
import { createClient } from "../../../shared/kubernetes/client.ts";
import { Node, PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import { kubeconfigTransport } from "../../../shared/kubernetes/kubeconfig-transport.ts";
import {
  type ClusterApi,
  findClusterApi,
  type MachineCluster,
  startClusterApi,
} from "../../cluster/cluster-api/start-cluster-api.ts";

// Each expectation was seen of the real Machine controller v1.13.6 (contract v1beta2) against Kubernetes 1.36.3.
const both = { [preDrain]: "", [preTerminate]: "" };

// The stand-in, or a real one, as the suite of real control planes has it.
const kubeconfig = process.env.HOLDFAST_CLUSTER;
const found = findClusterApi();
const real = kubeconfig && typeof found !== "string" ? { kubeconfig, ...found } : undefined;

let api: ClusterApi | undefined;
beforeAll(async () => {
  if (real) api = await startClusterApi(createClient(kubeconfigTransport(real.kubeconfig)), real.kubeconfig, real);
});
afterAll(() => api?.stop());

type MakeMachine = MachineCluster["machine"];

/** Each Cluster has a namespace and Nodes of its own: most of the time all of them wait for a real controller. */
async function openBed() {
  // A real control plane looks whether Nodes live.
  const world = await openWorld({ nodes: ["a", "b"], heartbeat: real !== undefined });
  const stop = new AbortController();
  const makeMachine = api
    ? (await api.createCluster(world.namespace, "test")).machine
    : await startStandIn(world, stop.signal);
  const node = (name = "a") => `${world.namespace}-${name}`;
  const get = (name: string) => world.get<MachineObject>(Machine, name);
  const reason = async (name = "worker") =>
    (await get(name))?.status?.conditions?.find(({ type }) => type === "Deleting")?.reason;
  return {
    world,
    node,
    get,
    reason,
    machine: (name: string, on: string, metadata = {}) => makeMachine(name, node(on), metadata),
    becomes: (expected: string, name?: string) =>
      world.until(`${name ?? "worker"} is ${expected}`, async () => (await reason(name)) === expected),
    release: (hook: string, name = "worker") =>
      world.patch(Machine, name, { metadata: { annotations: { [hook]: null } } }),
    /** A volume that is attached to the Node. */
    async use(volume = `${world.namespace}-pv`): Promise<() => Promise<unknown>> {
      await world.create(PersistentVolume, volume, {
        spec: {
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteOnce"],
          claimRef: { kind: "PersistentVolumeClaim", namespace: "default", name: "claim-a" },
          csi: { driver: "linstor.csi.linbit.com", volumeHandle: volume },
        },
      });
      const spec = { attacher: "linstor.csi.linbit.com", nodeName: node(), source: { persistentVolumeName: volume } };
      await world.create(VolumeAttachment, `csi-${volume}`, { spec });
      await world.patch(VolumeAttachment, `csi-${volume}`, { status: { attached: true } }, "status");
      return () => world.delete(VolumeAttachment, `csi-${volume}`);
    },
    async close() {
      stop.abort();
      for (const kind of api ? [Machine, Cluster] : [])
        for await (const { metadata } of world.client.list(kind, { namespace: world.namespace })) {
          await world.delete(kind, metadata.name);
          await world.patch(kind, metadata.name, { metadata: { finalizers: null } });
        }
      await world.close();
    },
  };
}

async function startStandIn(world: World, signal: AbortSignal): Promise<MakeMachine> {
  for (const definition of definitions)
    await world.create(CustomResourceDefinition, definition.metadata.name, definition);
  await world.rest();
  const { transport, clock } = world;
  const trouble = (found: unknown) => world.troubles.push(found as never);
  const tools = createControllerTools({ transport, clock, random: seededRandom(9), signal, trouble });
  await world.create(Cluster, "test", { spec: {} });
  void startMachines(tools).synced;
  return async (name, on, metadata = {}) => {
    const providerID = `generic:///${on}`;
    await world.patch(Node, on, { spec: { providerID } });
    await world.create(GenericMachine, name, { spec: {} });
    const spec = { clusterName: "test", providerID, infrastructureRef: { name } };
    await world.create(Machine, name, { metadata, spec });
    await world.until(`${name} runs`, async () => (await world.get<MachineObject>(Machine, name))?.status?.nodeRef);
  };
}

const test = base.extend<{ harness: Awaited<ReturnType<typeof openBed>> }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures it needs.
  harness: async ({}, use) => {
    const harness = await openBed();
    await use(harness);
    await harness.close();
  },
});
const controlPlane = { labels: { "cluster.x-k8s.io/control-plane": "" } };

describe.concurrent("the deletion of a Machine", () => {
  test("waits for pre-drain, drains, waits for volumes, waits for pre-terminate, and takes the Node with it", async ({
    harness,
  }) => {
    const { becomes, machine, node, reason, release, use, world } = harness;
    await machine("control", "b", controlPlane);
    await machine("worker", "a", { annotations: both });
    const annotations = (await world.get(Node, node()))?.metadata.annotations;
    expect(annotations).toMatchObject({
      "cluster.x-k8s.io/machine": "worker",
      "cluster.x-k8s.io/cluster-name": "test",
    });
    await createPod(world, "app", [], { nodeName: node(), terminationGracePeriodSeconds: 5 });
    const detach = await use();
    await world.delete(Machine, "worker");
    await becomes("WaitingForPreDrainHook");
    await world.rest();
    expect(await reason()).toBe("WaitingForPreDrainHook");
    expect(
      (await world.get<{ spec?: { unschedulable?: boolean } } & MachineObject>(Node, node()))?.spec?.unschedulable,
    ).toBeUndefined();
    await release(preDrain);
    await becomes("DrainingNode");
    expect(await world.get<MachineObject>(Node, node())).toMatchObject({ spec: { unschedulable: true } });
    await becomes("WaitingForVolumeDetach");
    await detach();
    await becomes("WaitingForPreTerminateHook");
    await world.rest();
    expect(await world.get(Node, node())).toBeDefined();
    await release(preTerminate);
    await world.gone(Machine, "worker");
    await world.gone(Node, node());
    await world.gone(GenericMachine, "worker");
  });

  test("without hooks leaves no time to react", async ({ harness }) => {
    const { machine, node, world } = harness;
    await machine("control", "b", controlPlane);
    await machine("worker", "a");
    await world.delete(Machine, "worker");
    await world.gone(Machine, "worker");
    await world.gone(Node, node());
  });

  test("remembers nothing: what is attached late leads back, even after the last hook", async ({ harness }) => {
    const { becomes, machine, reason, release, use, world } = harness;
    await machine("control", "b", controlPlane);
    await machine("worker", "a", { annotations: { [preTerminate]: "" } });
    await world.delete(Machine, "worker");
    await becomes("WaitingForPreTerminateHook");
    const detach = await use();
    // No event of an attachment wakes it; a change of the Node does, and on a real control plane others change it, too.
    await world.rest();
    if (!api) expect(await reason()).toBe("WaitingForPreTerminateHook");
    await release(preTerminate);
    await becomes("WaitingForVolumeDetach");
    await detach();
    await world.gone(Machine, "worker");
  });

  test("stops again at a pre-drain hook that comes late, 20 seconds after a drain at the latest", async ({
    harness,
  }) => {
    const { becomes, machine, reason, use, world } = harness;
    await machine("control", "b", controlPlane);
    await machine("worker", "a", { annotations: { [preTerminate]: "" } });
    await use();
    await world.delete(Machine, "worker");
    await becomes("WaitingForVolumeDetach");
    await world.patch(Machine, "worker", { metadata: { annotations: { [preDrain]: "" } } });
    expect(await reason()).toBe("WaitingForVolumeDetach");
    await becomes("WaitingForPreDrainHook");
  });

  test("waits for an attachment whose volume is gone", async ({ harness }) => {
    const { becomes, machine, use, world } = harness;
    await machine("control", "b", controlPlane);
    await machine("worker", "a");
    const gone = `${world.namespace}-gone`;
    const detach = await use(gone);
    await world.patch(PersistentVolume, gone, { metadata: { finalizers: null } });
    await world.delete(PersistentVolume, gone);
    await world.gone(PersistentVolume, gone);
    await world.delete(Machine, "worker");
    await becomes("WaitingForVolumeDetach");
    await detach();
    await world.gone(Machine, "worker");
  });

  test("with the whole Cluster skips pre-drain and drain, awaits pre-terminate, and leaves the Node", async ({
    harness,
  }) => {
    const { becomes, machine, node, reason, release, world } = harness;
    await machine("control", "b", controlPlane);
    await machine("worker", "a", { annotations: both });
    await world.delete(Machine, "worker");
    await becomes("WaitingForPreDrainHook");
    // The real one stays until its Machines are gone.
    if (!api) await world.patch(Cluster, "test", { metadata: { finalizers: ["test.holdfast.dev/hold"] } });
    await world.delete(Cluster, "test");
    // The Cluster's deletion triggers nothing.
    await world.rest();
    if (!api) expect(await reason()).toBe("WaitingForPreDrainHook");
    await world.patch(Node, node(), { metadata: { labels: { touched: "yes" } } });
    await becomes("WaitingForPreTerminateHook");
    await release(preTerminate);
    await world.gone(Machine, "worker");
    expect(await world.get(Node, node())).toBeDefined();
    await world.patch(Cluster, "test", { metadata: { finalizers: null } });
  });

  test("of the last control plane skips pre-drain of all, and awaits pre-terminate", async ({ harness }) => {
    const { becomes, machine, node, release, world } = harness;
    await machine("control", "b", { ...controlPlane, annotations: { [preTerminate]: "" } });
    await machine("worker", "a", { annotations: both });
    await world.delete(Machine, "control");
    await becomes("WaitingForPreTerminateHook", "control");
    await world.delete(Machine, "worker");
    await becomes("WaitingForPreTerminateHook");
    await release(preTerminate);
    await world.gone(Machine, "worker");
    expect(await world.get(Node, node())).toBeDefined();
    await release(preTerminate, "control");
  });

  test("whose Node was deleted by hand awaits both hooks", async ({ harness }) => {
    const { becomes, machine, node, release, world } = harness;
    await machine("control", "b", controlPlane);
    await machine("worker", "a", { annotations: both });
    await world.delete(Node, node());
    await world.delete(Machine, "worker");
    await becomes("WaitingForPreDrainHook");
    await release(preDrain);
    await becomes("WaitingForPreTerminateHook");
    await release(preTerminate);
    await world.gone(Machine, "worker");
  });

  test("of a paused Cluster shows nothing but its timestamp", async ({ harness }) => {
    const { get, machine, reason, world } = harness;
    await machine("control", "b", controlPlane);
    await machine("worker", "a", { annotations: both });
    await world.patch(Cluster, "test", { spec: { paused: true } });
    await world.rest();
    await world.delete(Machine, "worker");
    await world.rest();
    const paused = await get("worker");
    expect(paused?.metadata.deletionTimestamp).toBeDefined();
    expect([paused?.status?.phase, await reason()]).toEqual(["Running", "NotDeleting"]);
  });
});
