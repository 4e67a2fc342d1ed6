import { expect } from "vitest";
import { PersistentVolume, PersistentVolumeClaim, pathOf } from "../../../shared/kubernetes/kind.ts";
import type { Cluster } from "../../harness/cluster.ts";
import { persistentVolume } from "../../harness/manifest.ts";
import type { Scenario } from "../scenario.ts";
import {
  annotateVolume,
  bindClaim,
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
async function provisionerLooks(cluster: Cluster, name: string): Promise<"deleted" | "left"> {
  const { metadata, spec, status } = await volumeOf(cluster, name);
  const policy = spec.persistentVolumeReclaimPolicy;
  const others = (metadata.finalizers ?? []).filter((finalizer) => finalizer !== csiFinalizer);
  const keeps = policy === "Delete" && metadata.deletionTimestamp === undefined && status?.phase === "Bound";
  const finalizers = keeps ? [...others, csiFinalizer] : policy === "Delete" ? (metadata.finalizers ?? []) : others;
  if (finalizers.join() !== (metadata.finalizers ?? []).join())
    await patchVolume(cluster, name, { metadata: { finalizers } });
  if (status?.phase !== "Released" || policy !== "Delete") return "left";
  await cluster.admin.delete(PersistentVolume, undefined, name);
  await patchVolume(cluster, name, { metadata: { finalizers: others } }).catch(() => {});
  return "deleted";
}

/** A volume as a CSI driver's provisioner makes it, bound to a claim. */
async function csiVolume(cluster: Cluster): Promise<string> {
  const { namespace } = cluster;
  const storageClassName = await createClass(cluster, {}, { provisioner: driver });
  const volume = await createVolume(
    cluster,
    {
      storageClassName,
      persistentVolumeReclaimPolicy: "Delete",
      hostPath: null,
      csi: { driver, volumeHandle: namespace },
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name: "data" },
    },
    { annotations: { "pv.kubernetes.io/provisioned-by": driver }, finalizers: [csiFinalizer] },
  );
  expect(await bindClaim(cluster, { spec: { storageClassName } })).toBe(volume);
  await isNoted(cluster, volume, "retained");
  return volume;
}

/** Volumes and claims of every kind. */
export const shapes: readonly Scenario[] = [
  {
    title: "a volume of a CSI driver is deleted by its provisioner when its time is over, and not before",
    alone: true,
    async run(cluster) {
      const volume = await csiVolume(cluster);
      expect(await provisionerLooks(cluster, volume)).toBe("left");
      await deleteClaim(cluster);
      expect(await provisionerLooks(cluster, volume)).toBe("left");
      await isOffered(cluster, volume);
      expect(await provisionerLooks(cluster, volume)).toBe("left");
      await makeDue(cluster, volume);
      await cluster.sweep();
      await isPhase(cluster, volume, "Released");
      expect(await provisionerLooks(cluster, volume)).toBe("deleted");
      await volumeIsGone(cluster, volume);
    },
  },
  {
    title: "a volume of a CSI driver that is not to be kept any more has its provisioner's finalizer again",
    async run(cluster) {
      const volume = await csiVolume(cluster);
      await provisionerLooks(cluster, volume);
      expect((await volumeOf(cluster, volume)).metadata.finalizers).not.toContain(csiFinalizer);
      await cluster.admin.patch(
        { apiVersion: "v1", kind: "PersistentVolumeClaim", plural: "persistentvolumeclaims", namespaced: true },
        cluster.namespace,
        "data",
        "merge",
        { metadata: { annotations: { "holdfast.dev/keep-volume-for": "none" } } },
      );
      await cluster.eventually("the policy is Delete", async () => {
        const { spec } = await volumeOf(cluster, volume);
        return spec.persistentVolumeReclaimPolicy === "Delete";
      });
      await provisionerLooks(cluster, volume);
      expect((await volumeOf(cluster, volume)).metadata.finalizers).toContain(csiFinalizer);
      await deleteClaim(cluster);
      await isPhase(cluster, volume, "Released");
      expect(await provisionerLooks(cluster, volume)).toBe("deleted");
    },
  },
  {
    title: "a static volume whose policy was Retain is offered, and is Released when its time is over",
    alone: true,
    async run(cluster) {
      const volume = await createVolume(cluster);
      expect(await bindClaim(cluster, { spec: { storageClassName: volume } })).toBe(volume);
      expect(noteOn(await isNoted(cluster, volume, "retained"))).toMatchObject({ policy: "Retain" });
      const { uid } = (await volumeOf(cluster, volume)).spec.claimRef as { uid: string };
      await deleteClaim(cluster);
      await isOffered(cluster, volume);
      await makeDue(cluster, volume);
      await cluster.sweep();
      await isPhase(cluster, volume, "Released");
      const { metadata, spec } = await volumeOf(cluster, volume);
      expect(spec).toMatchObject({ persistentVolumeReclaimPolicy: "Retain", claimRef: { uid } });
      expect(metadata.annotations?.[noteKey]).toBeUndefined();
      await cluster.admin.delete(PersistentVolume, undefined, volume);
    },
  },
  {
    title: "a larger claim of the name gets a new volume, and the kept one says so and is reclaimed when due",
    alone: true,
    async run(cluster) {
      const volume = await offeredVolume(cluster);
      const bigger = await bindClaim(cluster, { spec: { resources: { requests: { storage: "2Gi" } } } });
      expect(bigger).not.toBe(volume);
      expect(noteOn(await isNoted(cluster, volume, "kept")).because).toContain(`has volume ${bigger}`);
      await deleteClaim(cluster);
      await isOffered(cluster, bigger);
      await makeDue(cluster, volume);
      await cluster.sweep();
      await volumeIsGone(cluster, volume);
    },
  },
  {
    title: "the advice on a kept volume that a larger claim did not get brings its data back",
    async run(cluster) {
      const volume = await offeredVolume(cluster);
      const bigger = await bindClaim(cluster, { spec: { resources: { requests: { storage: "2Gi" } } } });
      const { because: advice } = noteOn(await isNoted(cluster, volume, "kept"));
      expect(advice).toContain(`kubectl annotate pv ${volume} ${offerKey}=yes --overwrite`);
      // By sweeps alone it is bound for seconds before anybody has looked at it.
      await isNoted(cluster, bigger, "retained");
      await cluster.rest();
      await annotateVolume(cluster, volume, { [offerKey]: "yes" });
      await cluster.rest();
      await deleteClaim(cluster);
      await isNoted(cluster, bigger, "kept");
      await isOffered(cluster, volume);
      expect(await bindClaim(cluster)).toBe(volume);
    },
  },
  {
    title:
      "of two claims that race for the name one gets the volume, and a claim of another name that asks for it waits",
    async run(cluster) {
      const volume = await offeredVolume(cluster);
      // As if a set and a person created it at once, and another claim asked for the volume.
      const [first, second, other] = await Promise.allSettled([
        createClaim(cluster),
        createClaim(cluster),
        createClaim(cluster, { name: "other", spec: { volumeName: volume } }),
      ]);
      expect([first.status, second.status].sort()).toEqual(["fulfilled", "rejected"]);
      expect(other.status).toBe("fulfilled");
      expect(await boundVolume(cluster)).toBe(volume);
      await isNoted(cluster, volume, "retained");
      await cluster.rest();
      const { uid } = (await claimOf(cluster))?.metadata ?? {};
      expect((await volumeOf(cluster, volume)).spec.claimRef).toMatchObject({ name: "data", uid });
      expect((await claimOf(cluster, "other"))?.status?.phase).toBe("Pending");
      await deleteClaim(cluster, "other");
    },
  },
  {
    title: "a claim of the name gets the volume also if it asks for another class, as in Kubernetes",
    async run(cluster) {
      const volume = await offeredVolume(cluster);
      expect(await bindClaim(cluster, { spec: { storageClassName: await createClass(cluster) } })).toBe(volume);
    },
  },
  {
    title: "while a claim of the name has no volume, the kept one is not reclaimed, and says so",
    alone: true,
    async run(cluster) {
      const volume = await offeredVolume(cluster);
      await createClaim(cluster, {
        spec: { accessModes: ["ReadWriteMany"], storageClassName: "", resources: { requests: { storage: "1Gi" } } },
      });
      await makeDue(cluster, volume);
      await cluster.sweep();
      expect(await hasEvent(cluster, volume, "ReclaimPostponed")).toContain("without a volume");
      await cluster.sweep();
      await isOffered(cluster, volume);
      await deleteClaim(cluster);
      await cluster.sweep();
      await volumeIsGone(cluster, volume);
      await hasNoEvent(cluster, volume, "ReclaimPostponed");
    },
  },
  {
    title: "of two volumes of one name that of the later claim is offered, and the other one is kept",
    async run(cluster) {
      const older = await offeredVolume(cluster);
      await cluster.rest();
      const newer = await bindClaim(cluster, { spec: { resources: { requests: { storage: "2Gi" } } } });
      expect(newer).not.toBe(older);
      await isNoted(cluster, newer, "retained");
      await deleteClaim(cluster);
      await isOffered(cluster, newer);
      await isNoted(cluster, older, "kept");
      await isPhase(cluster, older, "Released");
      expect(await hasEvent(cluster, older, "VolumeKept")).toContain(newer);
      expect(await bindClaim(cluster)).toBe(newer);
    },
  },
  {
    title: "volumes in block mode and for a single pod come back like any other",
    async run(cluster) {
      for (const [name, spec] of [
        ["block", { volumeMode: "Block" }],
        ["single", { accessModes: ["ReadWriteOncePod"] }],
      ] as const) {
        const storageClassName = `${cluster.namespace}-${name}`;
        const csi = { driver, volumeHandle: storageClassName };
        const all = { csi, persistentVolumeReclaimPolicy: "Delete", storageClassName, ...spec };
        await cluster.admin.create(PersistentVolume, persistentVolume({ name: storageClassName }, all));
        await keptClaim(cluster, { name, spec: { storageClassName, ...spec } });
        await deleteClaim(cluster, name);
        await isOffered(cluster, storageClassName);
        await createClaim(cluster, { name, spec: { storageClassName, ...spec } });
        expect(await boundVolume(cluster, name)).toBe(storageClassName);
        await patchVolume(cluster, storageClassName, { spec: { persistentVolumeReclaimPolicy: "Retain" } });
      }
    },
  },
  {
    title: "a claim that is created again while its volume is being reclaimed keeps the volume",
    alone: true,
    within: true,
    async run(cluster) {
      const volume = await offeredVolume(cluster);
      await makeDue(cluster, volume);
      let raced = false;
      // Cluster-scoped: what functions ask of volumes is disturbed through an instance of its own.
      cluster.intercept(async ({ rule, request }, send) => {
        const answer = await send();
        if (
          rule === "undelete/expire" &&
          !raced &&
          request.method === "GET" &&
          request.path.startsWith(pathOf(PersistentVolumeClaim, cluster.namespace))
        ) {
          raced = true;
          await createClaim(cluster);
          await boundVolume(cluster);
        }
        return answer;
      });
      // The claim comes after expire has seen that there is none, and is bound before it writes: its patch is of a
      // volume that is no more.
      await cluster.sweep();
      expect(raced).toBe(true);
      expect(await boundVolume(cluster)).toBe(volume);
      await isNoted(cluster, volume, "retained");
      await cluster.rest();
      await isPhase(cluster, volume, "Bound");
    },
  },
];
