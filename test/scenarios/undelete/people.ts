import { expect } from "vitest";
import { PersistentVolume } from "../../worlds/kinds.ts";
import type { Scenario } from "../scenario.ts";
import {
  annotateClaim,
  annotateVolume,
  boundVolume,
  createClaim,
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

/** What people change by hand is theirs. */
export const people: readonly Scenario[] = [
  {
    title: "a policy that a person has set to Delete stays so, and the volume goes with its claim",
    async run(world) {
      const volume = await keptClaim(world);
      await patchVolume(world, volume, policy("Delete"));
      await isNoted(world, volume, "overruled");
      await hasEvent(world, volume, "PolicyChangedByHand");
      await annotateClaim(world, { "scenario.example/touched": "yes" });
      await world.rest();
      expect((await volumeOf(world, volume)).spec.persistentVolumeReclaimPolicy).toBe("Delete");
      await deleteClaim(world);
      await volumeIsGone(world, volume);
    },
  },
  {
    title: "a policy that a person has set to Retain again is theirs: in the end the volume stays Released",
    alone: true,
    async run(world) {
      const volume = await keptClaim(world);
      await patchVolume(world, volume, policy("Delete"));
      await isNoted(world, volume, "overruled");
      await patchVolume(world, volume, policy("Retain"));
      expect(noteOn(await isNoted(world, volume, "retained"))).toMatchObject({ policy: "Retain" });
      await deleteClaim(world);
      await isOffered(world, volume);
      await makeDue(world, volume);
      await world.sweep();
      await isPhase(world, volume, "Released");
      await world.rest();
      expect((await volumeOf(world, volume)).metadata.annotations?.[noteKey]).toBeUndefined();
      await world.admin.delete(PersistentVolume, undefined, volume);
    },
  },
  {
    title: "a policy that a person has set to Delete is not set to Retain when the scope goes, nor the other way round",
    async run(world) {
      const volume = await keptClaim(world);
      await patchVolume(world, volume, policy("Delete"));
      await isNoted(world, volume, "overruled");
      await patchVolume(world, volume, policy("Retain"));
      await isNoted(world, volume, "retained");
      await annotateClaim(world, { [keepKey]: null });
      await world.eventually(
        "nothing is noted",
        async () => !(await volumeOf(world, volume)).metadata.annotations?.[noteKey],
      );
      expect((await volumeOf(world, volume)).spec.persistentVolumeReclaimPolicy).toBe("Retain");
      await world.admin.delete(PersistentVolume, undefined, volume);
    },
  },
  {
    title: "a time that was put off counts, also for the sweep",
    alone: true,
    async run(world) {
      const volume = await offeredVolume(world);
      await makeDue(world, volume);
      const later = "2999-01-01T00:00:00Z";
      await annotateVolume(world, volume, { [reclaimAtKey]: later });
      await world.sweep();
      await world.eventually("the note has it", async () =>
        noteOn(await volumeOf(world, volume)).next?.startsWith("2999"),
      );
      await world.sweep();
      await world.rest();
      await isOffered(world, volume);
    },
  },
  {
    title: "a volume whose time was taken off is kept for good, and so is one whose time cannot be read, which it says",
    alone: true,
    async run(world) {
      const volume = await offeredVolume(world);
      await annotateVolume(world, volume, { [reclaimAtKey]: "tomorrow" });
      await world.rest();
      await world.sweep();
      expect(await hasEvent(world, volume, "UnreadableTime")).toContain("until its time can be read");
      await annotateVolume(world, volume, { [reclaimAtKey]: null });
      await world.rest();
      await world.sweep();
      await hasNoEvent(world, volume, "UnreadableTime");
      const { metadata } = await isOffered(world, volume);
      expect(metadata.labels?.["holdfast.dev/waiting"]).toBeUndefined();
      await makeDue(world, volume);
      await world.sweep();
      await volumeIsGone(world, volume);
    },
  },
  {
    title: "a volume that somebody has reserved for another claim is that one's, and is not reclaimed",
    alone: true,
    async run(world) {
      const volume = await offeredVolume(world);
      const { namespace } = world;
      await patchVolume(world, volume, { spec: { claimRef: { namespace, name: "other" } } });
      await hasEvent(world, volume, "GivenToAnother");
      await world.sweep();
      await world.rest();
      await createClaim(world, { name: "other", keep: "" });
      expect(await boundVolume(world, "other")).toBe(volume);
      await patchVolume(world, volume, policy("Delete"));
    },
  },
  {
    title: "what a person has said about an offer ends with the claim that gets the volume, and when its time is over",
    alone: true,
    async run(world) {
      const volume = await offeredVolume(world);
      const { namespace } = world;
      await annotateVolume(world, volume, { [offerKey]: "no" });
      await isNoted(world, volume, "kept");
      await patchVolume(world, volume, { spec: { claimRef: { namespace, name: "other", uid: null } } });
      await createClaim(world, { name: "other" });
      expect(await boundVolume(world, "other")).toBe(volume);
      const { metadata } = await isNoted(world, volume, "retained");
      expect(metadata.annotations?.[offerKey]).toBeUndefined();
      await deleteClaim(world, "other");
      await isOffered(world, volume);
      await annotateVolume(world, volume, { [offerKey]: "no" });
      await isNoted(world, volume, "kept");
      await makeDue(world, volume);
      await world.sweep();
      await hasEvent(world, volume, "VolumeReclaimed");
      // A person has given the volume to that claim: what its policy was before is not known any more.
      const { spec, metadata: handedBack } = await volumeOf(world, volume);
      expect(spec.persistentVolumeReclaimPolicy).toBe("Retain");
      expect(handedBack.annotations?.[offerKey]).toBeUndefined();
      await world.admin.delete(PersistentVolume, undefined, volume);
    },
  },
  {
    title: "a claim of another name may ask for the volume, and does not get it",
    async run(world) {
      const volume = await offeredVolume(world);
      await createClaim(world, { name: "other", spec: { volumeName: volume } });
      await world.rest();
      await isOffered(world, volume);
      await createClaim(world, { spec: { volumeName: volume } });
      expect(await boundVolume(world)).toBe(volume);
    },
  },
  {
    title: "a volume that was deleted by hand goes, and nobody holds it",
    async run(world) {
      const volume = await offeredVolume(world);
      await world.admin.delete(PersistentVolume, undefined, volume);
      await volumeIsGone(world, volume);
      await createClaim(world);
      expect(await boundVolume(world)).not.toBe(volume);
    },
  },
  {
    title: "a note that was copied from another volume says nothing",
    async run(world) {
      const volume = await keptClaim(world);
      const annotations = { [noteKey]: (await volumeOf(world, volume)).metadata.annotations?.[noteKey] ?? "" };
      await createClaim(world, { name: "other", keep: "" });
      const other = await boundVolume(world, "other");
      await annotateVolume(world, other, annotations);
      await world.rest();
      await deleteClaim(world, "other");
      await volumeIsGone(world, other);
    },
  },
  {
    title:
      "an earlier volume is not bound where the claim of a later one goes and comes back before anything has looked",
    within: true,
    async run(world) {
      const earlier = await offeredVolume(world);
      await createClaim(world, { spec: { resources: { requests: { storage: "2Gi" } } } });
      const later = await boundVolume(world);
      await isNoted(world, later, "retained");
      await isNoted(world, earlier, "kept");
      let isLate = true;
      world.intercept(({ rule }, send) =>
        isLate && rule === "undelete/reserve" ? Promise.reject(new Error("killed")) : send(),
      );
      await deleteClaim(world);
      await createClaim(world);
      expect(await boundVolume(world)).not.toBe(earlier);
      isLate = false;
    },
  },
  {
    title: "an offered volume over whose note another was written goes to nobody, before a person says so",
    async run(world) {
      const volume = await offeredVolume(world);
      const note = '{"v":1,"uid":"of-another","step":"offered","since":"2026-01-01T00:00:00Z","because":"copied"}';
      await annotateVolume(world, volume, { [noteKey]: note });
      await deleteNamespace(world);
      await createNamespace(world);
      await createClaim(world, { keep: "" });
      expect(await boundVolume(world)).not.toBe(volume);
      expect(await hasEvent(world, volume, "NamespaceReplaced")).toContain(
        `To offer it: kubectl annotate pv ${volume} ${offerKey}=yes`,
      );
      await deleteClaim(world);
      await annotateVolume(world, volume, { [offerKey]: "yes" });
      await isOffered(world, volume);
      await createClaim(world);
      expect(await boundVolume(world)).toBe(volume);
    },
  },
  {
    title: "an offered volume that a person sets to Delete is kept when its namespace goes, and reclaimed when due",
    alone: true,
    async run(world) {
      const volume = await offeredVolume(world);
      await patchVolume(world, volume, policy("Delete"));
      await world.rest();
      await isOffered(world, volume);
      await deleteNamespace(world);
      const { spec } = await isNoted(world, volume, "asks");
      expect(spec).toMatchObject({ persistentVolumeReclaimPolicy: "Retain" });
      expect(spec.claimRef?.uid).toBeDefined();
      await world.rest();
      await volumeOf(world, volume);
      await makeDue(world, volume);
      await world.sweep();
      await volumeIsGone(world, volume);
    },
  },
  {
    title:
      "a claim that was made anew before its volume was offered has another; " +
      "on a person's word the old one is swapped in",
    async run(world) {
      const volume = await keptClaim(world);
      await world.rest();
      // A set or a person is quicker than we are.
      let isLate = true;
      world.intercept(({ rule }, send) =>
        isLate && rule === "undelete/reserve" ? Promise.reject(new Error("killed")) : send(),
      );
      await deleteClaim(world);
      await createClaim(world, { keep: "24h" });
      const fresh = await boundVolume(world);
      isLate = false;
      await isNoted(world, fresh, "retained");
      await world.instance("undelete/reserve")({ change: "sweep", kind: PersistentVolume, name: volume });
      await isNoted(world, volume, "kept");
      expect(await hasEvent(world, volume, "VolumeKept")).toContain(`has volume ${fresh}`);
      await world.rest();
      await annotateVolume(world, volume, { [offerKey]: "yes" });
      await isOffered(world, volume);
      await deleteClaim(world);
      await isNoted(world, fresh, "kept");
      await createClaim(world);
      expect(await boundVolume(world)).toBe(volume);
    },
    within: true,
  },
  {
    title: "when the claim without a note is deleted the volume is Kubernetes' alone again",
    async run(world) {
      const volume = await keptClaim(world);
      await annotateClaim(world, { [keepKey]: null });
      await isLeftToItsClaim(world, volume);
      await deleteClaim(world);
      await volumeIsGone(world, volume);
    },
  },
];
