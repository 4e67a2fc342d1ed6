import { expect, test } from "vitest";
import { seededRandom } from "../../eventing/random.ts";
import { VolumeAttachment } from "../../functions/satellite/lib/kinds.ts";
import { csiDriver, type VolumeAttachmentObject } from "../../functions/satellite/lib/volumes.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import { type Kind, Node, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { createApiServer } from "../apiserver/server.ts";
import { createControllerTools } from "../controllers/controller-tools.ts";
import { createLinstor } from "../linstor/linstor.ts";
import { virtualClock } from "../time/testing/virtual-clock.ts";
import { startVolumeUsers } from "./start-volume-users.ts";

/** A volume with copies on node-1 and node-2 that is used on node-1, with an empty node-3 beside. */
async function used() {
  const clock = virtualClock();
  const random = seededRandom(1);
  const server = createApiServer({ clock, random });
  const client = createClient(server.handle, { clock });
  const ended = new AbortController();
  const tools = createControllerTools({
    transport: server.handle,
    clock,
    random,
    signal: ended.signal,
    trouble: ({ error }) => {
      throw error;
    },
  });
  const create = ({ apiVersion, kind, ...rest }: Kind, object: { metadata: object; spec: object }) =>
    client.create({ apiVersion, kind, ...rest }, { ...object, apiVersion, kind } as KubernetesObject);
  const linstor = createLinstor({ clock, random });
  for (const node of ["node-1", "node-2", "node-3"]) {
    await create(Node, { metadata: { name: node }, spec: {} });
    const address = { address: `10.0.0.${node.at(-1)}`, satellite_port: 3366, satellite_encryption_type: "Plain" };
    const body = JSON.stringify({ name: node, type: "Satellite", net_interfaces: [{ name: "default", ...address }] });
    const made = linstor.transport({ method: "POST", path: "/v1/nodes", headers: {}, body });
    await clock.advance(2_000);
    expect((await made).status).toBe(201);
  }
  linstor.addVolume("data", { copies: ["node-1", "node-2"] });
  const csi = { driver: csiDriver, volumeHandle: "data" };
  const spec = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], csi };
  await create(PersistentVolume, { metadata: { name: "data" }, spec });
  const users = startVolumeUsers(tools, linstor);
  await clock.advance(1_000);
  await users.attach("data", "node-1");
  const places = async () =>
    (await Array.fromAsync(client.list<VolumeAttachmentObject>(VolumeAttachment))).map(({ spec }) => spec.nodeName);
  const stop = () => {
    ended.abort();
    server.close();
  };
  const cordon = (node: string) => client.patch(Node, undefined, node, "merge", { spec: { unschedulable: true } });
  return { clock, places, stop, cordon, remove: (node: string) => client.delete(Node, undefined, node) };
}

test("a use moves from a cordoned Node to the one that has a copy", async () => {
  const { clock, places, stop, cordon } = await used();
  await cordon("node-1");
  await clock.advance(30_000);
  expect(await places()).toEqual(["node-2"]);
  stop();
});

test("a use never moves to a Node that is gone, though a copy is there still", async () => {
  const { clock, places, stop, cordon, remove } = await used();
  await cordon("node-1");
  await remove("node-2");
  await clock.advance(30_000);
  expect(await places()).toEqual(["node-3"]);
  stop();
});

test("a use leaves a Node that is gone", async () => {
  const { clock, places, stop, remove } = await used();
  await remove("node-1");
  await clock.advance(30_000);
  expect(await places()).toEqual(["node-2"]);
  stop();
});
