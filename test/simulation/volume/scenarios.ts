import { Volume } from "../../../functions/volume/lib/kinds.ts";
import { PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import { PersistentVolume, StorageClass } from "../../harness/kinds.ts";
import { claim, manifest } from "../../harness/manifest.ts";
import type { Scenario } from "../scenario.ts";
import { podIs, type User } from "../user.ts";
import { minion, otherMinion, type SimulatedSalt } from "./salt.ts";
import { volumes } from "./settings.ts";
import { isAvailable, readyOf, type VolumeLike } from "./volumes.ts";

const saltOf = (user: User) => user.outside("volume") as SimulatedSalt;

/** Creates a StorageClass whose volumes get this file system. */
export const createClass = (user: User, fsType = "ext4", name = "local") =>
  user.attempt(`creates class ${name} with ${fsType}`, (client) =>
    client.create(
      StorageClass,
      manifest(
        StorageClass,
        { name },
        {
          provisioner: "kubernetes.io/no-provisioner",
          reclaimPolicy: "Retain",
          volumeBindingMode: "WaitForFirstConsumer",
          parameters: { fsType },
        },
      ),
    ),
  );

/** Creates a Volume of 1Gi on a node. */
export const createVolume = (user: User, name: string, storageClassName = "local", nodeName = minion) =>
  user.attempt(`creates Volume ${name}`, (client) =>
    client.create(
      Volume,
      manifest(Volume, { name }, { spec: { nodeName, storageClassName, sparseLoopDevice: { size: "1Gi" } } }),
    ),
  );

/** Deletes a Volume. */
export const deleteVolume = (user: User, name: string) =>
  user.attempt(`deletes Volume ${name}`, (client) => client.delete(Volume, undefined, name));

const find = async (user: User, name: string) =>
  (await user.list(Volume)).find(({ metadata }) => metadata.name === name);
/** For `until`: the Volume is Available. */
export const isMade = (name: string) => async (user: User) => isAvailable(await find(user, name));
/** For `until`: there is no Volume of this name. */
export const isGone = (name: string) => async (user: User) => !(await find(user, name));
/** For `until`: the Volume has failed. */
export const hasFailed = (name: string) => async (user: User) => readyOf(await find(user, name))?.status === "False";

/** Milliseconds in which storage is made, or taken back, where nothing that it needs is away. */
const madeWithin = 90_000;

const usual = { setting: volumes, controllers: ["persistentvolume-protection-controller"] };

/** What users do with Volumes. */
export const scenarios: readonly Scenario[] = [
  {
    ...usual,
    name: "volume-comes-and-goes",
    doc: "A Volume is created, deleted when it is Available, and created again under the same name.",
    async act(user) {
      await createClass(user);
      for (let round = 0; round < 2; round++) {
        await createVolume(user, "data");
        await user.until(isMade("data"));
        await user.pause(4_000);
        if (round > 0) return;
        await deleteVolume(user, "data");
        await user.until(isGone("data"));
      }
    },
  },
  {
    ...usual,
    name: "volume-in-use",
    doc: "A Volume is deleted while a claim is bound to it; the claim goes later.",
    async act(user) {
      await createClass(user);
      await createVolume(user, "data");
      await user.until(isMade("data"));
      const spec = { storageClassName: "local", resources: { requests: { storage: "1Gi" } } };
      await user.attempt("creates claim data", (client, namespace) =>
        client.create(PersistentVolumeClaim, claim({ namespace, name: "data" }, spec)),
      );
      await user.createPod("writer", ["data"]);
      await user.until(podIs("writer", "Running"));
      await deleteVolume(user, "data");
      await user.pause(20_000);
      await user.deletePod("writer");
      await user.deleteClaim("data");
    },
  },
  {
    ...usual,
    name: "volumes-of-one-node",
    doc: "Three Volumes are created on one node at once, a fourth while they are made; then three are deleted at once.",
    async act(user) {
      await createClass(user);
      const names = ["a", "b", "c", "d"];
      // As long as it takes to make a file system.
      const salt = saltOf(user);
      salt.delay = Math.max(salt.delay, 4_000);
      await Promise.all(names.slice(1).map((name) => createVolume(user, name)));
      await user.pause(8_000);
      await createVolume(user, "a");
      for (const name of names) await user.until(isMade(name));
      await user.pause(4_000);
      await Promise.all(names.slice(1).map((name) => deleteVolume(user, name)));
    },
  },
  {
    ...usual,
    name: "deleted-while-made",
    doc: "A Volume is deleted while its storage is being made, and one before it was begun.",
    waits: true,
    async act(user) {
      await createClass(user);
      await createVolume(user, "data");
      await user.pause(3_000);
      await createVolume(user, "late");
      await deleteVolume(user, "data");
      await user.pause(3_000);
      await deleteVolume(user, "late");
    },
  },
  {
    ...usual,
    name: "job-lost",
    // Each lost job is found, posted again, found lost again and begun again, each in a sweep.
    sweepsAfterOutage: 13,
    doc: "The processes of jobs that make the storage are killed, of some or of all.",
    waits: true,
    async act(user) {
      await createClass(user);
      saltOf(user).kills = user.random.below(2) === 0 ? 3 : Number.POSITIVE_INFINITY;
      await createVolume(user, "data");
    },
  },
  {
    ...usual,
    name: "job-runs-long",
    doc: "Making the storage takes longer than looks at the job are apart, and the master is away for a while.",
    waits: true,
    async act(user) {
      await createClass(user);
      const { standIn, ...salt } = saltOf(user);
      saltOf(user).delay = 200_000;
      await createVolume(user, "data");
      await user.pause(60_000);
      standIn.stop("master");
      await user.pause(20_000);
      standIn.start("master");
      for (let waited = 0; salt.running.size > 0 && waited < 300; waited++) await user.pause(2_000);
    },
  },
  {
    ...usual,
    name: "volume-cannot-be-made",
    doc: "A Volume is created of a class that no node can make, and deleted when it has failed.",
    async act(user) {
      await createClass(user, "btrfs");
      await createVolume(user, "data");
      await user.until(hasFailed("data"));
      await user.pause(3_000);
      await deleteVolume(user, "data");
    },
  },
  {
    ...usual,
    name: "failed-volume-deleted-beside-another",
    doc: "A Volume that could not be made is deleted while its node works for another one.",
    waits: true,
    async act(user) {
      await createClass(user);
      await createClass(user, "btrfs", "impossible");
      await createVolume(user, "failed", "impossible");
      await user.until(hasFailed("failed"));
      const salt = saltOf(user);
      salt.delay = Math.max(salt.delay, 30_000);
      await createVolume(user, "other");
      await user.pause(4_000);
      await deleteVolume(user, "failed");
      await user.until(isMade("other"));
      await user.until(isGone("failed"));
    },
  },
  {
    ...usual,
    name: "volumes-of-two-nodes",
    doc: "Volumes are created on two nodes at once, again and again, and deleted when they are Available.",
    waits: true,
    parts: {
      texts: [minion, otherMinion],
      goesOn(history, now, away) {
        const held = (history.live("Volume") as readonly VolumeLike[]).find((volume) => {
          const { creationTimestamp = "", deletionTimestamp } = volume.metadata;
          const isLate = now - Date.parse(deletionTimestamp ?? creationTimestamp) > madeWithin;
          return volume.spec.nodeName !== away && isLate && (deletionTimestamp || !isAvailable(volume));
        });
        return held && `Volume ${held.metadata.name} waits, and its own node was not away.`;
      },
    },
    async act(user) {
      await createClass(user);
      for (let round = 0; round < 4; round++) {
        const names = [minion, otherMinion].map((node) => [`${node}-${round}`, node] as const);
        for (const [name, node] of names) await createVolume(user, name, "local", node);
        for (const [name] of names) await user.until(isMade(name));
        for (const [name] of names) await deleteVolume(user, name);
        await user.pause(20_000);
      }
    },
  },
  {
    ...usual,
    name: "persistent-volume-deleted",
    doc: "A person deletes a PersistentVolume by hand, and the Volume later.",
    async act(user) {
      await createClass(user);
      await createVolume(user, "data");
      await user.until(isMade("data"));
      await user.attempt("deletes PersistentVolume data", (client) =>
        client.delete(PersistentVolume, undefined, "data"),
      );
      await user.pause(20_000);
      await deleteVolume(user, "data");
    },
  },
];
