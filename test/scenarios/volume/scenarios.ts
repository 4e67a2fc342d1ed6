import { expect } from "vitest";
import { Volume } from "../../../functions/volume/lib/kinds.ts";
import type { VolumeSpec } from "../../../functions/volume/lib/schema.ts";
import { abandonStorage } from "../../../functions/volume/lib/vanished-node.ts";
import { phaseOf, volumeFinalizer } from "../../../functions/volume/lib/volume.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Node, PersistentVolume, PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Cluster } from "../../harness/cluster.ts";
import { claim, persistentVolume, reachedFrom } from "../../harness/manifest.ts";
import type { Scenario } from "../scenario.ts";
import {
  createClass,
  createNode,
  createNodeAndClass,
  createVolume,
  eventsOn,
  isGone,
  messageOf,
  minion,
  persistentVolumeOf,
  reaches,
  remove,
  swept,
  volumeOf,
} from "./helpers.ts";
import { standInSalt } from "./settings.ts";

/** Creates a PersistentVolume that is not the Volume's, under its name. */
const takeName = (cluster: Cluster, name: string, metadata: object = {}) =>
  cluster.admin.create(PersistentVolume, persistentVolume({ name, ...metadata }, { hostPath: { path: "/x" } }));

type Claim = KubernetesObject & { spec: { volumeName?: string }; status?: { phase?: string } };

const reference = { apiVersion: Volume.apiVersion, kind: Volume.kind };

interface Failure {
  readonly title: string;
  readonly fsType?: string;
  readonly spec?: Partial<VolumeSpec>;
  readonly says: RegExp;
  /** What was begun on the node; absent: nothing. */
  readonly job?: RegExp;
}

/** Why a Volume cannot be made, and what it says then. */
const failures: readonly Failure[] = [
  {
    title: "a Volume that the node cannot make has failed, with the node's own words, and can be deleted",
    fsType: "btrfs",
    says: /^Salt job 'PrepareVolume' failed with: .*btrfs/,
    job: /^PrepareVolume\//,
  },
  {
    title: "a Volume that is too small for the xfs of its class has failed before anything was done on the node",
    fsType: "xfs",
    says: /asks for 16Mi, and an xfs file system.*needs at least 300Mi\. Nothing was done on the node\./s,
  },
  {
    title: "a Volume whose template the API server refuses has failed with the server's text before anything was made",
    spec: { template: { metadata: { annotations: { "not a key": "x" } } } },
    says: /^The API server refuses the PersistentVolume of Volume .*annotations/,
  },
];

/** The document's own scenario, and what goes wrong on the way; one after the other, because they share the node. */
export const scenarios: readonly Scenario[] = [
  {
    title:
      "a Volume becomes a PersistentVolume, serves a claim, is kept while it does, and gives the node its storage back",
    alone: true,
    async run(cluster) {
      const { admin, namespace } = cluster;
      const storageClassName = await createNodeAndClass(cluster);
      const name = await createVolume(cluster, { template: { metadata: { labels: { tier: "gold" } } } });
      await reaches(cluster, name, "Available");
      const made = await persistentVolumeOf(cluster, name);
      expect(made?.metadata).toMatchObject({ labels: { tier: "gold" } });
      expect(made?.metadata.finalizers).toContain(volumeFinalizer);
      expect(made?.spec).toMatchObject({
        capacity: { storage: "16Mi" },
        persistentVolumeReclaimPolicy: "Retain",
        storageClassName,
        local: { path: `/dev/disk/by-uuid/${(await volumeOf(cluster, name))?.metadata.uid}` },
      });
      await swept(cluster, "the device is known", async () => (await volumeOf(cluster, name))?.status?.deviceName);
      expect((await volumeOf(cluster, name))?.status).toMatchObject({
        job: "",
        deviceName: expect.stringMatching(/^loop\d+$/),
      });

      const spec = { storageClassName, resources: { requests: { storage: "8Mi" } } };
      await admin.create(PersistentVolumeClaim, claim({ namespace, name: "data" }, spec));
      const bound = async () => {
        const live = await admin.get<Claim>(PersistentVolumeClaim, namespace, "data");
        return live?.status?.phase === "Bound" ? live : undefined;
      };
      expect((await swept(cluster, "the claim is bound", bound)).spec.volumeName).toBe(name);

      await admin.delete(Volume, undefined, name);
      const held = async () => (await eventsOn(cluster, name)).find((note) => note.startsWith("DeletionPostponed"));
      expect(await swept(cluster, "it says who holds it", held)).toContain(`claim ${namespace}/data is bound`);
      await cluster.sweep();
      await cluster.rest();
      expect(isBeingDeleted((await volumeOf(cluster, name)) as KubernetesObject)).toBe(true);
      expect((await persistentVolumeOf(cluster, name))?.status?.phase).toBe("Bound");
      await admin.delete(PersistentVolumeClaim, namespace, "data");
      await isGone(cluster, name);
    },
  },
  {
    title: "a Volume whose class is missing waits for it, and says so",
    alone: true,
    async run(cluster) {
      await createNode(cluster);
      const name = await createVolume(cluster);
      const waiting = await reaches(cluster, name, "Pending");
      expect(messageOf(waiting)).toContain(`StorageClass local-${cluster.namespace} does not exist: create it`);
      await createClass(cluster);
      await reaches(cluster, name, "Available");
      await remove(cluster, name);
    },
  },
  ...failures.map(
    ({ title, fsType, spec, says, job = /^$/ }): Scenario => ({
      title,
      alone: true,
      async run(cluster) {
        await createNodeAndClass(cluster, fsType);
        const name = await createVolume(cluster, spec);
        const failed = await reaches(cluster, name, "Failed", "CreationError");
        expect(messageOf(failed)).toMatch(says);
        expect(failed.status?.job ?? "").toMatch(job);
        await cluster.rest();
        expect(await persistentVolumeOf(cluster, name)).toBeUndefined();
        await remove(cluster, name);
      },
    }),
  ),
  {
    title: "a Volume whose nodeName was mistyped says so, and goes at once when it is deleted",
    alone: true,
    async run(cluster) {
      await createClass(cluster);
      const nodeName = `gone-${cluster.namespace}`;
      const name = await createVolume(cluster, { nodeName });
      expect(messageOf(await reaches(cluster, name, "Pending"))).toContain(`Node ${nodeName} does not exist: add it`);
      await cluster.admin.delete(Volume, undefined, name);
      // Without a sweep.
      await cluster.eventually("the Volume is gone", async () => !(await volumeOf(cluster, name)));
    },
  },
  {
    title: "a Volume of a node that is gone is kept until an admin gives its storage up",
    alone: true,
    async run(cluster) {
      await createNodeAndClass(cluster);
      const name = await createVolume(cluster);
      await reaches(cluster, name, "Available");
      await cluster.admin.delete(Node, undefined, minion);
      await cluster.admin.delete(Volume, undefined, name);
      const said = await swept(cluster, "it says what to do", async () => {
        const volume = await volumeOf(cluster, name);
        return volume && messageOf(volume).includes(abandonStorage) ? messageOf(volume) : undefined;
      });
      expect(said).toContain(`kubectl annotate volume ${name} ${abandonStorage}=${minion}`);
      await cluster.sweep();
      await cluster.rest();
      expect(await volumeOf(cluster, name)).toBeDefined();
      const annotations = { [abandonStorage]: minion };
      await cluster.admin.patch(Volume, undefined, name, "merge", { metadata: { annotations } });
      await isGone(cluster, name);
    },
  },
  {
    title: "two Volumes of one node are made",
    alone: true,
    async run(cluster) {
      await createNodeAndClass(cluster);
      const first = await createVolume(cluster);
      const second = await createVolume(cluster, {}, "-2");
      await reaches(cluster, first, "Available");
      await reaches(cluster, second, "Available");
      for (const name of [first, second]) {
        await remove(cluster, name);
      }
      expect(await cluster.admin.get(Node, undefined, minion)).toBeDefined();
    },
  },
  {
    title: "a Volume whose name another PersistentVolume has fails before anything is made, and goes without it",
    alone: true,
    settings: [standInSalt],
    async run(cluster) {
      await createNodeAndClass(cluster);
      const name = `volume-${cluster.namespace}`;
      await takeName(cluster, name);
      await createVolume(cluster);
      const failed = await reaches(cluster, name, "Failed", "CreationError");
      expect(messageOf(failed)).toContain("Delete this Volume, and create one under another name.");
      expect(failed.status?.job ?? "").toBe("");
      await cluster.admin.delete(Volume, undefined, name);
      await swept(cluster, "the Volume is gone", async () => ((await volumeOf(cluster, name)) ? undefined : true));
      expect((await persistentVolumeOf(cluster, name))?.metadata).not.toHaveProperty("deletionTimestamp");
      await cluster.admin.delete(PersistentVolume, undefined, name);
    },
  },
  {
    title: "a Volume whose storage a person has given to another PersistentVolume is kept until that one is deleted",
    alone: true,
    settings: [standInSalt],
    async run(cluster) {
      const { admin } = cluster;
      await createNodeAndClass(cluster);
      const name = await createVolume(cluster);
      const path = `/dev/disk/by-uuid/${(await reaches(cluster, name, "Available")).metadata.uid}`;
      const other = `${name}-rescued`;
      const spec = { local: { path }, nodeAffinity: reachedFrom([minion]) };
      await admin.create(PersistentVolume, persistentVolume({ name: other }, spec));
      await admin.delete(Volume, undefined, name);
      await swept(cluster, "it says so", async () => {
        const events = await eventsOn(cluster, name);
        return events.find((event) => event.includes(`run \`kubectl delete persistentvolume ${other}\``));
      });
      await cluster.sweep();
      await cluster.rest();
      expect(phaseOf((await volumeOf(cluster, name)) ?? expect.fail())).toBe("Available");
      await admin.delete(PersistentVolume, undefined, other);
      await isGone(cluster, name);
    },
  },
  {
    title: "a Volume waits for the PersistentVolume of an earlier Volume of its name that is being deleted",
    alone: true,
    settings: [standInSalt],
    async run(cluster) {
      const { admin } = cluster;
      await createNodeAndClass(cluster);
      const name = `volume-${cluster.namespace}`;
      await takeName(cluster, name, { finalizers: [volumeFinalizer, "a.example/x"] });
      await admin.patch(PersistentVolume, undefined, name, "merge", {
        metadata: { ownerReferences: [{ ...reference, name, uid: "earlier", controller: true }] },
      });
      await admin.delete(PersistentVolume, undefined, name);
      await createVolume(cluster);
      expect(messageOf(await reaches(cluster, name, "Pending"))).toContain("goes on by itself when it is gone");
      // Holdfast's own goes with the last of the others: no Volume explains this PersistentVolume any more.
      const own = { finalizers: [volumeFinalizer] };
      await admin.patch(PersistentVolume, undefined, name, "merge", { metadata: own });
      await reaches(cluster, name, "Available");
      await remove(cluster, name);
    },
  },
];
