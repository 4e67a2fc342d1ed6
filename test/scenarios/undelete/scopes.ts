import { expect } from "vitest";
import { StorageClass } from "../../worlds/kinds.ts";
import type { World } from "../../worlds/world.ts";
import type { Scenario } from "../scenario.ts";
import {
  annotateClaim,
  annotateNamespace,
  boundVolume,
  createClaim,
  createClass,
  deleteClaim,
  hasEvent,
  isNoted,
  isOffered,
  keepKey,
  keptClaim,
  noteOn,
  reclaimAtKey,
  volumeIsGone,
  volumeOf,
} from "./helpers.ts";

/** Waits until nothing of ours is on a volume, and its policy is Delete. */
export async function isLeftToItsClaim(world: World, volume: string): Promise<void> {
  await world.eventually(`volume ${volume} goes with its claim`, async () => {
    const { metadata, spec } = await volumeOf(world, volume);
    const left = Object.keys({ ...metadata.annotations, ...metadata.labels }).filter((key) =>
      key.startsWith("holdfast.dev/"),
    );
    return spec.persistentVolumeReclaimPolicy === "Delete" && left.length === 0;
  });
}

const annotateClass = ({ admin }: World, name: string, annotations: Record<string, string | null>) =>
  admin.patch(StorageClass, undefined, name, "merge", { metadata: { annotations } });

/** What says for how long. */
export const scopes: readonly Scenario[] = [
  {
    title: "a volume that nobody asked for goes with its claim, and carries nothing of ours",
    async run(world) {
      await createClaim(world, { keep: "" });
      const volume = await boundVolume(world);
      await world.rest();
      await isLeftToItsClaim(world, volume);
      await deleteClaim(world);
      await volumeIsGone(world, volume);
    },
  },
  {
    title: "the namespace says it for its claims, also for those that were there before, and takes it back",
    async run(world) {
      await createClaim(world, { keep: "" });
      const volume = await boundVolume(world);
      await annotateNamespace(world, { [keepKey]: "30m" });
      expect(noteOn(await isNoted(world, volume, "retained"))).toMatchObject({ for: "30m" });
      await annotateNamespace(world, { [keepKey]: null });
      await isLeftToItsClaim(world, volume);
    },
  },
  {
    title: "the class says it for its volumes, also for those that were there before, and takes it back",
    async run(world) {
      const storageClassName = await createClass(world);
      await createClaim(world, { keep: "", spec: { storageClassName } });
      const volume = await boundVolume(world);
      await annotateClass(world, storageClassName, { [keepKey]: "7d" });
      expect(noteOn(await isNoted(world, volume, "retained"))).toMatchObject({ for: "7d" });
      await annotateClass(world, storageClassName, { [keepKey]: null });
      await isLeftToItsClaim(world, volume);
    },
  },
  {
    title: "a class that is gone takes nothing back",
    async run(world) {
      const storageClassName = await createClass(world, { [keepKey]: "7d" });
      const volume = await keptClaim(world, { keep: "", spec: { storageClassName } });
      await world.admin.delete(StorageClass, undefined, storageClassName);
      await annotateClaim(world, { "scenario.example/touched": "yes" });
      await world.rest();
      await isNoted(world, volume, "retained");
      await deleteClaim(world);
      await isOffered(world, volume);
    },
  },
  {
    title: "the claim outdoes the namespace, which outdoes the class",
    async run(world) {
      const storageClassName = await createClass(world, { [keepKey]: "7d" });
      await annotateNamespace(world, { [keepKey]: "none" });
      await createClaim(world, { keep: "", spec: { storageClassName } });
      const volume = await boundVolume(world);
      await world.rest();
      await isLeftToItsClaim(world, volume);
      await annotateClaim(world, { [keepKey]: "30m" });
      expect(noteOn(await isNoted(world, volume, "retained"))).toMatchObject({ for: "30m" });
      await annotateClaim(world, { [keepKey]: "24h" });
      await world.eventually("the note says 24h", async () => noteOn(await volumeOf(world, volume)).for === "24h");
      await annotateClaim(world, { [keepKey]: "none" });
      await isLeftToItsClaim(world, volume);
    },
  },
  {
    title: "a time that cannot be read keeps the volume for the longest time, and says so",
    async run(world) {
      const volume = await keptClaim(world, { keep: "soon" });
      expect(await hasEvent(world, volume, "UnreadableTime")).toContain("no time such as 24h");
      await annotateClaim(world, { [keepKey]: "later" });
      await world.eventually("it says so of the other word", async () =>
        (await hasEvent(world, volume, "UnreadableTime")).includes("later"),
      );
      await deleteClaim(world);
      const { metadata } = await isOffered(world, volume);
      const due = Date.parse(metadata.annotations?.[reclaimAtKey] ?? "");
      expect(due).toBeGreaterThan(world.clock.now() + 29 * 86_400_000);
    },
  },
  {
    title: "what is taken back after the claim was deleted does not take the volume",
    async run(world) {
      await annotateNamespace(world, { [keepKey]: "30m" });
      const volume = await keptClaim(world, { keep: "" });
      await deleteClaim(world);
      await isOffered(world, volume);
      await annotateNamespace(world, { [keepKey]: null });
      await world.rest();
      await isOffered(world, volume);
    },
  },
];
