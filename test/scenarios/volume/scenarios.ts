import { expect } from "vitest";
import { Volume } from "../../../functions/volume/lib/kinds.ts";
import { abandonStorage } from "../../../functions/volume/lib/vanished-node.ts";
import { volumeFinalizer } from "../../../functions/volume/lib/volume.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Node, PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { claim } from "../../worlds/manifest.ts";
import type { Scenario } from "../scenario.ts";
import {
  createClass,
  createNode,
  createVolume,
  eventsOn,
  isGone,
  messageOf,
  minion,
  persistentVolumeOf,
  reaches,
  swept,
  volumeOf,
} from "./helpers.ts";

type Claim = KubernetesObject & { spec: { volumeName?: string }; status?: { phase?: string } };

/** The document's own scenario, and what goes wrong on the way; one after the other, because they share the node. */
export const scenarios: readonly Scenario[] = [
  {
    title:
      "a Volume becomes a PersistentVolume, serves a claim, is kept while it does, and gives the node its storage back",
    alone: true,
    async run(world) {
      const { admin, namespace } = world;
      await createNode(world);
      const storageClassName = await createClass(world);
      const name = await createVolume(world, { template: { metadata: { labels: { tier: "gold" } } } });
      await reaches(world, name, "Available");
      const made = await persistentVolumeOf(world, name);
      expect(made?.metadata).toMatchObject({ labels: { tier: "gold" } });
      expect(made?.metadata.finalizers).toContain(volumeFinalizer);
      expect(made?.spec).toMatchObject({
        capacity: { storage: "16Mi" },
        persistentVolumeReclaimPolicy: "Retain",
        storageClassName,
        local: { path: `/dev/disk/by-uuid/${(await volumeOf(world, name))?.metadata.uid}` },
      });
      await swept(world, "the device is known", async () => (await volumeOf(world, name))?.status?.deviceName);
      expect((await volumeOf(world, name))?.status).toMatchObject({
        job: "",
        deviceName: expect.stringMatching(/^loop\d+$/),
      });

      const spec = { storageClassName, resources: { requests: { storage: "8Mi" } } };
      await admin.create(PersistentVolumeClaim, claim({ namespace, name: "data" }, spec));
      const bound = async () => {
        const live = await admin.get<Claim>(PersistentVolumeClaim, namespace, "data");
        return live?.status?.phase === "Bound" ? live : undefined;
      };
      expect((await swept(world, "the claim is bound", bound)).spec.volumeName).toBe(name);

      await admin.delete(Volume, undefined, name);
      const held = async () => (await eventsOn(world, name)).find((note) => note.startsWith("DeletionPostponed"));
      expect(await swept(world, "it says who holds it", held)).toContain(`claim ${namespace}/data is bound`);
      await world.sweep();
      await world.rest();
      expect(isBeingDeleted((await volumeOf(world, name)) as KubernetesObject)).toBe(true);
      expect((await persistentVolumeOf(world, name))?.status?.phase).toBe("Bound");
      await admin.delete(PersistentVolumeClaim, namespace, "data");
      await isGone(world, name);
    },
  },
  {
    title: "a Volume whose class is missing waits for it, and says so",
    alone: true,
    async run(world) {
      await createNode(world);
      const name = await createVolume(world);
      const waiting = await reaches(world, name, "Pending");
      expect(messageOf(waiting)).toContain(`StorageClass local-${world.namespace} does not exist: create it`);
      await createClass(world);
      await reaches(world, name, "Available");
      await world.admin.delete(Volume, undefined, name);
      await isGone(world, name);
    },
  },
  {
    title: "a Volume that the node cannot make has failed, with the node's own words, and can be deleted",
    alone: true,
    async run(world) {
      await createNode(world);
      await createClass(world, "btrfs");
      const name = await createVolume(world);
      const failed = await reaches(world, name, "Failed", "CreationError");
      expect(messageOf(failed)).toMatch(/^Salt job 'PrepareVolume' failed with: .*btrfs/);
      await world.rest();
      expect(await persistentVolumeOf(world, name)).toBeUndefined();
      await world.admin.delete(Volume, undefined, name);
      await isGone(world, name);
    },
  },
  {
    title: "a Volume that is too small for the xfs of its class has failed before anything was done on the node",
    alone: true,
    async run(world) {
      await createNode(world);
      await createClass(world, "xfs");
      const name = await createVolume(world);
      const failed = await reaches(world, name, "Failed", "CreationError");
      expect(messageOf(failed)).toContain("asks for 16Mi, and an xfs file system");
      expect(messageOf(failed)).toContain("needs at least 300Mi. Nothing was done on the node.");
      expect(failed.status?.job ?? "").toBe("");
      await world.admin.delete(Volume, undefined, name);
      await isGone(world, name);
    },
  },
  {
    title: "a Volume whose nodeName was mistyped says so, and goes at once when it is deleted",
    alone: true,
    async run(world) {
      await createClass(world);
      const nodeName = `gone-${world.namespace}`;
      const name = await createVolume(world, { nodeName });
      expect(messageOf(await reaches(world, name, "Pending"))).toContain(`Node ${nodeName} does not exist: add it`);
      await world.admin.delete(Volume, undefined, name);
      // Without a sweep.
      await world.eventually("the Volume is gone", async () => !(await volumeOf(world, name)));
    },
  },
  {
    title: "a Volume of a node that is gone is kept until an admin gives its storage up",
    alone: true,
    async run(world) {
      await createNode(world);
      await createClass(world);
      const name = await createVolume(world);
      await reaches(world, name, "Available");
      await world.admin.delete(Node, undefined, minion);
      await world.admin.delete(Volume, undefined, name);
      const said = await swept(world, "it says what to do", async () => {
        const volume = await volumeOf(world, name);
        return volume && messageOf(volume).includes(abandonStorage) ? messageOf(volume) : undefined;
      });
      expect(said).toContain(`kubectl annotate volume ${name} ${abandonStorage}=${minion}`);
      await world.sweep();
      await world.rest();
      expect(await volumeOf(world, name)).toBeDefined();
      const annotations = { [abandonStorage]: minion };
      await world.admin.patch(Volume, undefined, name, "merge", { metadata: { annotations } });
      await isGone(world, name);
    },
  },
  {
    title: "a Volume whose template the API server refuses has failed with the server's text before anything was made",
    alone: true,
    async run(world) {
      await createNode(world);
      await createClass(world);
      const name = await createVolume(world, { template: { metadata: { annotations: { "not a key": "x" } } } });
      const failed = await reaches(world, name, "Failed", "CreationError");
      expect(messageOf(failed)).toMatch(/^The API server refuses the PersistentVolume of Volume .*annotations/);
      expect(failed.status?.job ?? "").toBe("");
      await world.admin.delete(Volume, undefined, name);
      await isGone(world, name);
    },
  },
  {
    title: "two Volumes of one node are made",
    alone: true,
    async run(world) {
      await createNode(world);
      await createClass(world);
      const first = await createVolume(world);
      const second = `${first}-2`;
      const { spec } = (await volumeOf(world, first)) ?? {};
      const { apiVersion, kind } = Volume;
      await world.admin.create(Volume, { apiVersion, kind, metadata: { name: second }, spec } as never);
      await reaches(world, first, "Available");
      await reaches(world, second, "Available");
      for (const name of [first, second]) {
        await world.admin.delete(Volume, undefined, name);
        await isGone(world, name);
      }
      expect(await world.admin.get(Node, undefined, minion)).toBeDefined();
    },
  },
];
