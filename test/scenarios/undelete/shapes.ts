import { expect } from "vitest";
import { PersistentVolume, PersistentVolumeClaim, pathOf } from "../../../shared/kubernetes/kind.ts";
import type { World } from "../../worlds/world.ts";
import type { Scenario } from "../scenario.ts";
import {
  annotateVolume,
  boundVolume,
  claimOf,
  createClaim,
  createClass,
  createVolume,
  deleteClaim,
  hasEvent,
  hasNoEvent,
  isNoted,
  isOffered,
  isPhase,
  keptClaim,
  type LiveVolume,
  makeDue,
  noteKey,
  noteOn,
  offeredVolume,
  offerKey,
  patchVolume,
  volumeIsGone,
  volumeOf,
} from "./helpers.ts";

const driver = "csi.example.com";
const csiFinalizer = "external-provisioner.volume.kubernetes.io/finalizer";

/**
 * What sig-storage-lib-external-provisioner does with a volume of its driver, once: its finalizer, and the deletion of
 * what it stands for.
 */
async function provisionerLooks(world: World, name: string): Promise<"deleted" | "left"> {
  const { metadata, spec, status } = await volumeOf(world, name);
  const policy = spec.persistentVolumeReclaimPolicy;
  const others = (metadata.finalizers ?? []).filter((finalizer) => finalizer !== csiFinalizer);
  const keeps = policy === "Delete" && metadata.deletionTimestamp === undefined && status?.phase === "Bound";
  const finalizers = keeps ? [...others, csiFinalizer] : policy === "Delete" ? (metadata.finalizers ?? []) : others;
  if (finalizers.join() !== (metadata.finalizers ?? []).join())
    await patchVolume(world, name, { metadata: { finalizers } });
  if (status?.phase !== "Released" || policy !== "Delete") return "left";
  await world.admin.delete(PersistentVolume, undefined, name);
  await patchVolume(world, name, { metadata: { finalizers: others } }).catch(() => {});
  return "deleted";
}

/** A volume as a CSI driver's provisioner makes it, bound to a claim. */
async function csiVolume(world: World): Promise<string> {
  const { namespace } = world;
  const storageClassName = await createClass(world, {}, { provisioner: driver });
  const volume = await createVolume(
    world,
    {
      storageClassName,
      persistentVolumeReclaimPolicy: "Delete",
      hostPath: null,
      csi: { driver, volumeHandle: namespace },
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name: "data" },
    },
    { annotations: { "pv.kubernetes.io/provisioned-by": driver }, finalizers: [csiFinalizer] },
  );
  await createClaim(world, { spec: { storageClassName } });
  expect(await boundVolume(world)).toBe(volume);
  await isNoted(world, volume, "retained");
  return volume;
}

/** Volumes and claims of every kind. */
export const shapes: readonly Scenario[] = [
  {
    title: "a volume of a CSI driver is deleted by its provisioner when it was handed back, and not before",
    alone: true,
    async run(world) {
      const volume = await csiVolume(world);
      expect(await provisionerLooks(world, volume)).toBe("left");
      await deleteClaim(world);
      expect(await provisionerLooks(world, volume)).toBe("left");
      await isOffered(world, volume);
      expect(await provisionerLooks(world, volume)).toBe("left");
      await makeDue(world, volume);
      await world.sweep();
      await isPhase(world, volume, "Released");
      expect(await provisionerLooks(world, volume)).toBe("deleted");
      await volumeIsGone(world, volume);
    },
  },
  {
    title: "a volume of a CSI driver whose scope went has its provisioner's finalizer again",
    async run(world) {
      const volume = await csiVolume(world);
      await provisionerLooks(world, volume);
      expect((await volumeOf(world, volume)).metadata.finalizers).not.toContain(csiFinalizer);
      await world.admin.patch(
        { apiVersion: "v1", kind: "PersistentVolumeClaim", plural: "persistentvolumeclaims", namespaced: true },
        world.namespace,
        "data",
        "merge",
        { metadata: { annotations: { "holdfast.dev/keep-volume-for": "none" } } },
      );
      await world.eventually("the policy is Delete", async () => {
        const { spec } = await volumeOf(world, volume);
        return spec.persistentVolumeReclaimPolicy === "Delete";
      });
      await provisionerLooks(world, volume);
      expect((await volumeOf(world, volume)).metadata.finalizers).toContain(csiFinalizer);
      await deleteClaim(world);
      await isPhase(world, volume, "Released");
      expect(await provisionerLooks(world, volume)).toBe("deleted");
    },
  },
  {
    title:
      "a static volume that was Retain all along is offered, and in the end Released as it would have been at once",
    alone: true,
    async run(world) {
      const volume = await createVolume(world);
      await createClaim(world, { spec: { storageClassName: volume } });
      expect(await boundVolume(world)).toBe(volume);
      expect(noteOn(await isNoted(world, volume, "retained"))).toMatchObject({ policy: "Retain" });
      const { uid } = (await volumeOf(world, volume)).spec.claimRef as { uid: string };
      await deleteClaim(world);
      await isOffered(world, volume);
      await makeDue(world, volume);
      await world.sweep();
      await isPhase(world, volume, "Released");
      const { metadata, spec } = await volumeOf(world, volume);
      expect(spec).toMatchObject({ persistentVolumeReclaimPolicy: "Retain", claimRef: { uid } });
      expect(metadata.annotations?.[noteKey]).toBeUndefined();
      await world.admin.delete(PersistentVolume, undefined, volume);
    },
  },
  {
    title: "a bigger claim of the name gets a volume of its own, and the kept one says so, and goes when due",
    alone: true,
    async run(world) {
      const volume = await offeredVolume(world);
      await createClaim(world, { spec: { resources: { requests: { storage: "2Gi" } } } });
      const bigger = await boundVolume(world);
      expect(bigger).not.toBe(volume);
      expect(noteOn(await isNoted(world, volume, "kept")).because).toContain(`has volume ${bigger}`);
      await deleteClaim(world);
      await isOffered(world, bigger);
      await makeDue(world, volume);
      await world.sweep();
      await volumeIsGone(world, volume);
    },
  },
  {
    title: "who does what a volume says that a bigger claim has passed by gets its data",
    async run(world) {
      const volume = await offeredVolume(world);
      await createClaim(world, { spec: { resources: { requests: { storage: "2Gi" } } } });
      const bigger = await boundVolume(world);
      const { because: advice } = noteOn(await isNoted(world, volume, "kept"));
      expect(advice).toContain(`kubectl annotate pv ${volume} ${offerKey}=yes --overwrite`);
      // By sweeps alone it is bound for seconds before anybody has looked at it.
      await isNoted(world, bigger, "retained");
      await world.rest();
      await annotateVolume(world, volume, { [offerKey]: "yes" });
      await world.rest();
      await deleteClaim(world);
      await isNoted(world, bigger, "kept");
      await isOffered(world, volume);
      await createClaim(world);
      expect(await boundVolume(world)).toBe(volume);
    },
  },
  {
    title:
      "of two claims that race for the name one gets the volume, and a claim of another name that asks for it waits",
    async run(world) {
      const volume = await offeredVolume(world);
      // As a set and a person would at once, and somebody who asks for the volume under another name.
      const [first, second, other] = await Promise.allSettled([
        createClaim(world),
        createClaim(world),
        createClaim(world, { name: "other", spec: { volumeName: volume } }),
      ]);
      expect([first.status, second.status].sort()).toEqual(["fulfilled", "rejected"]);
      expect(other.status).toBe("fulfilled");
      expect(await boundVolume(world)).toBe(volume);
      await isNoted(world, volume, "retained");
      await world.rest();
      const { uid } = (await claimOf(world))?.metadata ?? {};
      expect((await volumeOf(world, volume)).spec.claimRef).toMatchObject({ name: "data", uid });
      expect((await claimOf(world, "other"))?.status?.phase).toBe("Pending");
      await deleteClaim(world, "other");
    },
  },
  {
    title: "a claim of the name gets the volume also where it asks for another class, as Kubernetes has it",
    async run(world) {
      const volume = await offeredVolume(world);
      await createClaim(world, { spec: { storageClassName: await createClass(world) } });
      expect(await boundVolume(world)).toBe(volume);
    },
  },
  {
    title: "a claim of the name that waits for a volume keeps the kept one beyond its time, and says so",
    alone: true,
    async run(world) {
      const volume = await offeredVolume(world);
      await createClaim(world, {
        spec: { accessModes: ["ReadWriteMany"], storageClassName: "", resources: { requests: { storage: "1Gi" } } },
      });
      await makeDue(world, volume);
      await world.sweep();
      expect(await hasEvent(world, volume, "ReclaimPostponed")).toContain("without a volume");
      await world.sweep();
      await isOffered(world, volume);
      await deleteClaim(world);
      await world.sweep();
      await volumeIsGone(world, volume);
      await hasNoEvent(world, volume, "ReclaimPostponed");
    },
  },
  {
    title: "of two volumes of one name that of the later claim is offered, and the other one is kept",
    async run(world) {
      const older = await offeredVolume(world);
      await world.rest();
      await createClaim(world, { spec: { resources: { requests: { storage: "2Gi" } } } });
      const newer = await boundVolume(world);
      expect(newer).not.toBe(older);
      await isNoted(world, newer, "retained");
      await deleteClaim(world);
      await isOffered(world, newer);
      await isNoted(world, older, "kept");
      await isPhase(world, older, "Released");
      expect(await hasEvent(world, older, "VolumeKept")).toContain(newer);
      await createClaim(world);
      expect(await boundVolume(world)).toBe(newer);
    },
  },
  {
    title: "block volumes and volumes of one pod alone come back as any other",
    async run(world) {
      for (const [name, spec] of [
        ["block", { volumeMode: "Block" }],
        ["single", { accessModes: ["ReadWriteOncePod"] }],
      ] as const) {
        const storageClassName = `${world.namespace}-${name}`;
        await world.admin.create(PersistentVolume, {
          apiVersion: "v1",
          kind: "PersistentVolume",
          metadata: { name: storageClassName } as never,
          spec: {
            accessModes: ["ReadWriteOnce"],
            capacity: { storage: "1Gi" },
            csi: { driver, volumeHandle: storageClassName },
            persistentVolumeReclaimPolicy: "Delete",
            storageClassName,
            ...spec,
          },
        } as LiveVolume);
        await keptClaim(world, { name, spec: { storageClassName, ...spec } });
        await deleteClaim(world, name);
        await isOffered(world, storageClassName);
        await createClaim(world, { name, spec: { storageClassName, ...spec } });
        expect(await boundVolume(world, name)).toBe(storageClassName);
        await patchVolume(world, storageClassName, { spec: { persistentVolumeReclaimPolicy: "Retain" } });
      }
    },
  },
  {
    title: "a claim that comes back while its volume is handed back keeps it",
    alone: true,
    within: true,
    async run(world) {
      const volume = await offeredVolume(world);
      await makeDue(world, volume);
      let raced = false;
      // Cluster-scoped: what functions ask of volumes is disturbed through an instance of its own.
      world.intercept(async ({ rule, request }, send) => {
        const answer = await send();
        if (
          rule === "undelete/expire" &&
          !raced &&
          request.method === "GET" &&
          request.path.startsWith(pathOf(PersistentVolumeClaim, world.namespace))
        ) {
          raced = true;
          await createClaim(world);
          await boundVolume(world);
        }
        return answer;
      });
      // The claim comes after expire has seen that there is none, and is bound before it writes: its patch is of a
      // volume that is no more.
      await world.sweep();
      expect(raced).toBe(true);
      expect(await boundVolume(world)).toBe(volume);
      await isNoted(world, volume, "retained");
      await world.rest();
      await isPhase(world, volume, "Bound");
    },
  },
];
