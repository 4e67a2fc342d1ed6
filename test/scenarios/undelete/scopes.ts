import { expect } from "vitest";
import type { Cluster } from "../../harness/cluster.ts";
import { StorageClass } from "../../harness/kinds.ts";
import type { Scenario } from "../scenario.ts";
import {
  annotateClaim,
  annotateNamespace,
  bindClaim,
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

/** Waits until nothing of Holdfast is on a volume, and its policy is Delete. */
export async function isLeftToItsClaim(cluster: Cluster, volume: string): Promise<void> {
  await cluster.eventually(`volume ${volume} goes with its claim`, async () => {
    const { metadata, spec } = await volumeOf(cluster, volume);
    const left = Object.keys({ ...metadata.annotations, ...metadata.labels }).filter((key) =>
      key.startsWith("holdfast.dev/"),
    );
    return spec.persistentVolumeReclaimPolicy === "Delete" && left.length === 0;
  });
}

const annotateClass = ({ admin }: Cluster, name: string, annotations: Record<string, string | null>) =>
  admin.patch(StorageClass, undefined, name, "merge", { metadata: { annotations } });

/** Where the annotation is that says for how long to keep a volume. */
export const scopes: readonly Scenario[] = [
  {
    title: "a volume that no annotation asks to keep is deleted with its claim, and has nothing of Holdfast on it",
    async run(cluster) {
      const volume = await bindClaim(cluster, { keep: "" });
      await cluster.rest();
      await isLeftToItsClaim(cluster, volume);
      await deleteClaim(cluster);
      await volumeIsGone(cluster, volume);
    },
  },
  {
    title: "an annotation of the namespace counts for its claims, also for existing ones, until it is removed",
    async run(cluster) {
      const volume = await bindClaim(cluster, { keep: "" });
      await annotateNamespace(cluster, { [keepKey]: "30m" });
      expect(noteOn(await isNoted(cluster, volume, "retained"))).toMatchObject({ for: "30m" });
      await annotateNamespace(cluster, { [keepKey]: null });
      await isLeftToItsClaim(cluster, volume);
    },
  },
  {
    title: "an annotation of the class counts for its volumes, also for existing ones, until it is removed",
    async run(cluster) {
      const storageClassName = await createClass(cluster);
      const volume = await bindClaim(cluster, { keep: "", spec: { storageClassName } });
      await annotateClass(cluster, storageClassName, { [keepKey]: "7d" });
      expect(noteOn(await isNoted(cluster, volume, "retained"))).toMatchObject({ for: "7d" });
      await annotateClass(cluster, storageClassName, { [keepKey]: null });
      await isLeftToItsClaim(cluster, volume);
    },
  },
  {
    title: "an annotation with which a class is created again counts for the volumes that there are",
    async run(cluster) {
      const storageClassName = await createClass(cluster);
      const volume = await bindClaim(cluster, { keep: "", spec: { storageClassName } });
      await cluster.rest();
      await cluster.admin.delete(StorageClass, undefined, storageClassName);
      await createClass(cluster, { [keepKey]: "7d" });
      expect(noteOn(await isNoted(cluster, volume, "retained"))).toMatchObject({ for: "7d" });
    },
  },
  {
    title: "a volume stays kept when its StorageClass is deleted",
    async run(cluster) {
      const storageClassName = await createClass(cluster, { [keepKey]: "7d" });
      const volume = await keptClaim(cluster, { keep: "", spec: { storageClassName } });
      await cluster.admin.delete(StorageClass, undefined, storageClassName);
      await annotateClaim(cluster, { "scenario.example/touched": "yes" });
      await cluster.rest();
      await isNoted(cluster, volume, "retained");
      await deleteClaim(cluster);
      await isOffered(cluster, volume);
    },
  },
  {
    title: "the annotation of the claim counts before that of the namespace, and that before the class",
    async run(cluster) {
      const storageClassName = await createClass(cluster, { [keepKey]: "7d" });
      await annotateNamespace(cluster, { [keepKey]: "none" });
      const volume = await bindClaim(cluster, { keep: "", spec: { storageClassName } });
      await cluster.rest();
      await isLeftToItsClaim(cluster, volume);
      await annotateClaim(cluster, { [keepKey]: "30m" });
      expect(noteOn(await isNoted(cluster, volume, "retained"))).toMatchObject({ for: "30m" });
      await annotateClaim(cluster, { [keepKey]: "24h" });
      await cluster.eventually("the note says 24h", async () => noteOn(await volumeOf(cluster, volume)).for === "24h");
      await annotateClaim(cluster, { [keepKey]: "none" });
      await isLeftToItsClaim(cluster, volume);
    },
  },
  {
    title: "an unreadable time keeps the volume for the longest time, and a Warning says so",
    async run(cluster) {
      const volume = await keptClaim(cluster, { keep: "soon" });
      expect(await hasEvent(cluster, volume, "UnreadableTime")).toContain("no time such as 24h");
      await annotateClaim(cluster, { [keepKey]: "later" });
      await cluster.eventually("it says so of the other word", async () =>
        (await hasEvent(cluster, volume, "UnreadableTime")).includes("later"),
      );
      await deleteClaim(cluster);
      const { metadata } = await isOffered(cluster, volume);
      const due = Date.parse(metadata.annotations?.[reclaimAtKey] ?? "");
      expect(due).toBeGreaterThan(cluster.clock.now() + 29 * 86_400_000);
    },
  },
  {
    title: "an annotation that is removed after the claim was deleted does not end the keeping of its volume",
    async run(cluster) {
      await annotateNamespace(cluster, { [keepKey]: "30m" });
      const volume = await keptClaim(cluster, { keep: "" });
      await deleteClaim(cluster);
      await isOffered(cluster, volume);
      await annotateNamespace(cluster, { [keepKey]: null });
      await cluster.rest();
      await isOffered(cluster, volume);
    },
  },
];
