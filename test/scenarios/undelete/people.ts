import { expect } from "vitest";
import { PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import { PersistentVolume } from "../../harness/kinds.ts";
import type { Scenario } from "../scenario.ts";
import {
  annotateClaim,
  annotateVolume,
  bindClaim,
  boundVolume,
  createClaim,
  createClass,
  createNamespace,
  deleteClaim,
  deleteNamespace,
  hasEvent,
  hasNoEvent,
  isNoted,
  isOffered,
  isPhase,
  keepKey,
  keptClaim,
  makeDue,
  noteKey,
  noteOn,
  offeredVolume,
  offerKey,
  patchVolume,
  reclaimAtKey,
  volumeIsGone,
  volumeOf,
} from "./helpers.ts";
import { isLeftToItsClaim } from "./scopes.ts";

const policy = (persistentVolumeReclaimPolicy: string) => ({ spec: { persistentVolumeReclaimPolicy } });

/** Holdfast respects what people change by hand. */
export const people: readonly Scenario[] = [
  {
    title: "a policy that a person has set to Delete stays, and the volume is deleted with its claim",
    async run(cluster) {
      const volume = await keptClaim(cluster);
      await patchVolume(cluster, volume, policy("Delete"));
      await isNoted(cluster, volume, "overruled");
      await hasEvent(cluster, volume, "PolicyChangedByHand");
      await annotateClaim(cluster, { "scenario.example/touched": "yes" });
      await cluster.rest();
      expect((await volumeOf(cluster, volume)).spec.persistentVolumeReclaimPolicy).toBe("Delete");
      await deleteClaim(cluster);
      await volumeIsGone(cluster, volume);
    },
  },
  {
    title:
      "a claim that is being deleted asks for its volume, after a person has set Retain, and it is kept and offered",
    async run(cluster) {
      const { admin, namespace } = cluster;
      const volume = await bindClaim(cluster, { keep: "", metadata: { finalizers: ["scenario.example/in-use"] } });
      await admin.delete(PersistentVolumeClaim, namespace, "data");
      await patchVolume(cluster, volume, policy("Retain"));
      await annotateClaim(cluster, { [keepKey]: "7d" });
      expect(noteOn(await isNoted(cluster, volume, "retained"))).toMatchObject({ policy: "Retain" });
      await admin.patch(PersistentVolumeClaim, namespace, "data", "merge", { metadata: { finalizers: null } });
      await isOffered(cluster, volume);
      expect(await bindClaim(cluster)).toBe(volume);
      await admin.delete(PersistentVolume, undefined, volume);
    },
  },
  {
    title: "if a person sets the policy to Retain again, the volume stays Released when its time is over",
    alone: true,
    async run(cluster) {
      const volume = await keptClaim(cluster);
      await patchVolume(cluster, volume, policy("Delete"));
      await isNoted(cluster, volume, "overruled");
      await patchVolume(cluster, volume, policy("Retain"));
      expect(noteOn(await isNoted(cluster, volume, "retained"))).toMatchObject({ policy: "Retain" });
      await deleteClaim(cluster);
      await isOffered(cluster, volume);
      await makeDue(cluster, volume);
      await cluster.sweep();
      await isPhase(cluster, volume, "Released");
      await cluster.rest();
      expect((await volumeOf(cluster, volume)).metadata.annotations?.[noteKey]).toBeUndefined();
      await cluster.admin.delete(PersistentVolume, undefined, volume);
    },
  },
  {
    title: "a policy that a person has set to Delete and back to Retain stays when the claim's annotation is removed",
    async run(cluster) {
      const volume = await keptClaim(cluster);
      await patchVolume(cluster, volume, policy("Delete"));
      await isNoted(cluster, volume, "overruled");
      await patchVolume(cluster, volume, policy("Retain"));
      await isNoted(cluster, volume, "retained");
      await annotateClaim(cluster, { [keepKey]: null });
      await cluster.eventually(
        "nothing is noted",
        async () => !(await volumeOf(cluster, volume)).metadata.annotations?.[noteKey],
      );
      expect((await volumeOf(cluster, volume)).spec.persistentVolumeReclaimPolicy).toBe("Retain");
      await cluster.admin.delete(PersistentVolume, undefined, volume);
    },
  },
  {
    title: "a later time that a person has set is respected, also by the sweep",
    alone: true,
    async run(cluster) {
      const volume = await offeredVolume(cluster);
      await makeDue(cluster, volume);
      const later = "2999-01-01T00:00:00Z";
      await annotateVolume(cluster, volume, { [reclaimAtKey]: later });
      await cluster.sweep();
      await cluster.eventually("the note has it", async () =>
        noteOn(await volumeOf(cluster, volume)).next?.startsWith("2999"),
      );
      await cluster.sweep();
      await cluster.rest();
      await isOffered(cluster, volume);
    },
  },
  {
    title: "a volume whose time was removed is kept for good, and so is one with an unreadable time, which says so",
    alone: true,
    async run(cluster) {
      const volume = await offeredVolume(cluster);
      await annotateVolume(cluster, volume, { [reclaimAtKey]: "tomorrow" });
      await cluster.rest();
      await cluster.sweep();
      expect(await hasEvent(cluster, volume, "UnreadableTime")).toContain("until its time can be read");
      await annotateVolume(cluster, volume, { [reclaimAtKey]: null });
      await cluster.rest();
      await cluster.sweep();
      await hasNoEvent(cluster, volume, "UnreadableTime");
      const { metadata } = await isOffered(cluster, volume);
      expect(metadata.labels?.["holdfast.dev/waiting"]).toBeUndefined();
      await makeDue(cluster, volume);
      await cluster.sweep();
      await volumeIsGone(cluster, volume);
    },
  },
  {
    title: "a volume that a person has reserved for another claim goes to that claim, and is not reclaimed",
    alone: true,
    async run(cluster) {
      const volume = await offeredVolume(cluster);
      const { namespace } = cluster;
      await patchVolume(cluster, volume, { spec: { claimRef: { namespace, name: "other" } } });
      await hasEvent(cluster, volume, "GivenToAnother");
      await cluster.sweep();
      await cluster.rest();
      expect(await bindClaim(cluster, { name: "other", keep: "" })).toBe(volume);
      await patchVolume(cluster, volume, policy("Delete"));
    },
  },
  {
    title: "a volume that a populator has filled for a claim is reclaimed by the policy that it came with",
    alone: true,
    async run(cluster) {
      const storageClassName = await createClass(cluster, {}, { provisioner: "scenario.example/populated" });
      const dataSourceRef = { apiGroup: "scenario.example", kind: "Content", name: "seed" };
      const { metadata } = await createClaim(cluster, { spec: { storageClassName, dataSourceRef } });
      const { namespace, name, uid, resourceVersion } = metadata;
      const volume = await keptClaim(cluster, { name: "prime" });
      await patchVolume(cluster, volume, { spec: { claimRef: { namespace, name, uid, resourceVersion } } });
      expect(await boundVolume(cluster)).toBe(volume);
      await deleteClaim(cluster, "prime");
      await deleteClaim(cluster);
      expect(noteOn(await isOffered(cluster, volume))).toMatchObject({ policy: "Delete", claim: { name } });
      await makeDue(cluster, volume);
      await cluster.sweep();
      await volumeIsGone(cluster, volume);
    },
  },
  {
    title: "the annotation about an offer is removed when a claim gets the volume, and when its time is over",
    alone: true,
    async run(cluster) {
      const volume = await offeredVolume(cluster);
      const { namespace } = cluster;
      await annotateVolume(cluster, volume, { [offerKey]: "no" });
      await isNoted(cluster, volume, "kept");
      // Both retain and reserve would remove it: retain comes first here.
      let isLate = true;
      cluster.intercept(
        ({ rule }, send) => (isLate && rule === "undelete/reserve" ? Promise.reject(new Error("killed")) : send()),
        "everywhere",
      );
      await patchVolume(cluster, volume, { spec: { claimRef: { namespace, name: "other", uid: null } } });
      expect(await bindClaim(cluster, { name: "other" })).toBe(volume);
      const { metadata } = await isNoted(cluster, volume, "retained");
      expect(metadata.annotations?.[offerKey]).toBeUndefined();
      isLate = false;
      await deleteClaim(cluster, "other");
      await isOffered(cluster, volume);
      await annotateVolume(cluster, volume, { [offerKey]: "no" });
      await isNoted(cluster, volume, "kept");
      await makeDue(cluster, volume);
      await cluster.sweep();
      await hasEvent(cluster, volume, "VolumeLeftReleased");
      // A person has given the volume to that claim: what its policy was before is not known any more.
      const { spec, metadata: handedBack } = await volumeOf(cluster, volume);
      expect(spec.persistentVolumeReclaimPolicy).toBe("Retain");
      expect(handedBack.annotations?.[offerKey]).toBeUndefined();
      await cluster.admin.delete(PersistentVolume, undefined, volume);
    },
  },
  {
    title: "a due volume that a person offers stays until reserve has seen it, and a waiting claim gets it",
    alone: true,
    within: true,
    async run(cluster) {
      const volume = await keptClaim(cluster);
      await annotateVolume(cluster, volume, { [offerKey]: "no" });
      await deleteClaim(cluster);
      await isNoted(cluster, volume, "kept");
      await makeDue(cluster, volume);
      const storageClassName = await createClass(cluster, {}, { volumeBindingMode: "WaitForFirstConsumer" });
      await createClaim(cluster, { spec: { storageClassName } });
      let isAway = true;
      cluster.intercept(
        ({ rule, request }, send) =>
          isAway && rule === "undelete/reserve" && request.method === "PATCH"
            ? Promise.reject(new Error("killed"))
            : send(),
        "everywhere",
      );
      await annotateVolume(cluster, volume, { [offerKey]: "yes" });
      await cluster.sweep();
      expect(await hasEvent(cluster, volume, "ReclaimPostponed")).toContain("undelete/reserve has not seen this");
      isAway = false;
      await cluster.sweep();
      expect(await boundVolume(cluster)).toBe(volume);
      await hasNoEvent(cluster, volume, "ReclaimPostponed");
    },
  },
  {
    title: "a permission on a volume that a claim has is removed, and a Warning says that it has no effect",
    async run(cluster) {
      const volume = await keptClaim(cluster);
      await annotateVolume(cluster, volume, { [offerKey]: "yes" });
      await cluster.eventually(
        "the permission is removed",
        async () => !(await volumeOf(cluster, volume)).metadata.annotations?.[offerKey],
      );
      expect(await hasEvent(cluster, volume, "OfferWithoutEffect")).toContain(`${cluster.namespace}/data`);
      await isNoted(cluster, volume, "retained");
    },
  },
  {
    title: "a claim of another name may ask for the volume, and does not get it",
    async run(cluster) {
      const volume = await offeredVolume(cluster);
      await createClaim(cluster, { name: "other", spec: { volumeName: volume } });
      await cluster.rest();
      await isOffered(cluster, volume);
      expect(await bindClaim(cluster, { spec: { volumeName: volume } })).toBe(volume);
    },
  },
  {
    title: "a kept volume that is deleted by hand is removed, and no finalizer holds it",
    async run(cluster) {
      const volume = await offeredVolume(cluster);
      await cluster.admin.delete(PersistentVolume, undefined, volume);
      await volumeIsGone(cluster, volume);
      expect(await bindClaim(cluster)).not.toBe(volume);
    },
  },
  {
    title: "a note that was copied from another volume has no effect",
    async run(cluster) {
      const volume = await keptClaim(cluster);
      const annotations = { [noteKey]: (await volumeOf(cluster, volume)).metadata.annotations?.[noteKey] ?? "" };
      const other = await bindClaim(cluster, { name: "other", keep: "" });
      await annotateVolume(cluster, other, annotations);
      await cluster.rest();
      await deleteClaim(cluster, "other");
      await volumeIsGone(cluster, other);
    },
  },
  {
    title: "an earlier volume is not bound if the claim of a later one is deleted and created again before any look",
    within: true,
    async run(cluster) {
      const earlier = await offeredVolume(cluster);
      const later = await bindClaim(cluster, { spec: { resources: { requests: { storage: "2Gi" } } } });
      await isNoted(cluster, later, "retained");
      await isNoted(cluster, earlier, "kept");
      let isLate = true;
      cluster.intercept(({ rule }, send) =>
        isLate && rule === "undelete/reserve" ? Promise.reject(new Error("killed")) : send(),
      );
      await deleteClaim(cluster);
      expect(await bindClaim(cluster)).not.toBe(earlier);
      isLate = false;
    },
  },
  {
    title: "an offered volume whose note was overwritten goes to no claim until a person allows it",
    async run(cluster) {
      const volume = await offeredVolume(cluster);
      const note = '{"v":1,"uid":"of-another","step":"offered","since":"2026-01-01T00:00:00Z","because":"copied"}';
      await annotateVolume(cluster, volume, { [noteKey]: note });
      await deleteNamespace(cluster);
      await createNamespace(cluster);
      expect(await bindClaim(cluster, { keep: "" })).not.toBe(volume);
      expect(await hasEvent(cluster, volume, "NamespaceReplaced")).toContain(
        `To offer it: \`kubectl annotate pv ${volume} ${offerKey}=yes`,
      );
      await deleteClaim(cluster);
      await annotateVolume(cluster, volume, { [offerKey]: "yes" });
      await isOffered(cluster, volume);
      expect(await bindClaim(cluster)).toBe(volume);
    },
  },
  {
    title:
      "an offered volume that a person sets to Delete is kept when its namespace is deleted, until its time is over",
    alone: true,
    async run(cluster) {
      const volume = await offeredVolume(cluster);
      await patchVolume(cluster, volume, policy("Delete"));
      await cluster.rest();
      await isOffered(cluster, volume);
      await deleteNamespace(cluster);
      const { spec } = await isNoted(cluster, volume, "asks");
      expect(spec).toMatchObject({ persistentVolumeReclaimPolicy: "Retain" });
      expect(spec.claimRef?.uid).toBeDefined();
      await cluster.rest();
      await volumeOf(cluster, volume);
      await makeDue(cluster, volume);
      await cluster.sweep();
      await volumeIsGone(cluster, volume);
    },
  },
  {
    title:
      "a claim that was created again before its volume was offered has another volume, " +
      "and a person can swap in the old one",
    async run(cluster) {
      const volume = await keptClaim(cluster);
      await cluster.rest();
      // A set or a person is quicker than we are.
      let isLate = true;
      cluster.intercept(({ rule }, send) =>
        isLate && rule === "undelete/reserve" ? Promise.reject(new Error("killed")) : send(),
      );
      await deleteClaim(cluster);
      const fresh = await bindClaim(cluster, { keep: "24h" });
      isLate = false;
      await isNoted(cluster, fresh, "retained");
      await cluster.instance("undelete/reserve")({ change: "sweep", kind: PersistentVolume, name: volume });
      await isNoted(cluster, volume, "kept");
      expect(await hasEvent(cluster, volume, "VolumeKept")).toContain(`has volume ${fresh}`);
      await cluster.rest();
      await annotateVolume(cluster, volume, { [offerKey]: "yes" });
      await isOffered(cluster, volume);
      await deleteClaim(cluster);
      await isNoted(cluster, fresh, "kept");
      expect(await bindClaim(cluster)).toBe(volume);
    },
    within: true,
  },
  {
    title: "a volume that a person has offered is bound next, also if the claim's own volume is kept only after that",
    async run(cluster) {
      const old = await keptClaim(cluster);
      await annotateVolume(cluster, old, { [offerKey]: "no" });
      await deleteClaim(cluster);
      const fresh = await bindClaim(cluster, { keep: "" });
      // Kubernetes writes its times in whole seconds.
      const bound = cluster.clock.now();
      await cluster.eventually("a second has passed", () => cluster.clock.now() > bound + 1_000);
      await annotateVolume(cluster, old, { [offerKey]: "yes" });
      await isOffered(cluster, old);
      const offered = cluster.clock.now();
      await cluster.eventually("a moment has passed", () => cluster.clock.now() > offered);
      await annotateClaim(cluster, { [keepKey]: "24h" });
      await isNoted(cluster, fresh, "retained");
      await cluster.rest();
      await isOffered(cluster, old);
      await deleteClaim(cluster);
      await isNoted(cluster, fresh, "kept");
      expect(await bindClaim(cluster)).toBe(old);
    },
  },
  {
    title: "after a claim's annotation is removed, its volume is deleted with it",
    async run(cluster) {
      const volume = await keptClaim(cluster);
      await annotateClaim(cluster, { [keepKey]: null });
      await isLeftToItsClaim(cluster, volume);
      await deleteClaim(cluster);
      await volumeIsGone(cluster, volume);
    },
  },
];
