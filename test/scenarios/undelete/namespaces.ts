import { expect } from "vitest";
import type { Scenario } from "../scenario.ts";
import {
  annotateClaim,
  annotateNamespace,
  annotateVolume,
  bindClaim,
  boundVolume,
  createClaim,
  createNamespace,
  deleteClaim,
  deleteNamespace,
  guard,
  hasEvent,
  isNoted,
  isOffered,
  isPhase,
  keepKey,
  keptClaim,
  makeDue,
  namespaceOf,
  offeredVolume,
  offerKey,
  successorKey,
  volumeIsGone,
  volumeOf,
} from "./helpers.ts";
import { isLeftToItsClaim } from "./scopes.ts";
import { always, asking, shipped } from "./settings.ts";

/** A namespace is deleted, and a new one of its name is created. */
export const namespaces: readonly Scenario[] = [
  {
    title: "a namespace that was deleted by accident gets its data back when an administrator allows it",
    settings: [asking, shipped],
    async run(cluster) {
      const volumes = [await keptClaim(cluster, { name: "one" }), await keptClaim(cluster, { name: "two" })];
      await deleteNamespace(cluster);
      for (const volume of volumes) {
        await isNoted(cluster, volume, "asks");
        await annotateVolume(cluster, volume, { [offerKey]: "yes" });
      }
      for (const volume of volumes) await isOffered(cluster, volume);
      await createNamespace(cluster);
      for (const name of ["one", "two"]) await createClaim(cluster, { name });
      expect([await boundVolume(cluster, "one"), await boundVolume(cluster, "two")]).toEqual(volumes);
    },
  },
  {
    title: "a permission to offer a volume counts for one namespace, and not for a later one of the same name",
    settings: [shipped],
    async run(cluster) {
      const volumes = [await keptClaim(cluster, { name: "one" }), await keptClaim(cluster, { name: "two" })];
      const [one = "", two = ""] = volumes;
      await deleteNamespace(cluster);
      for (const volume of volumes) await isNoted(cluster, volume, "asks");
      await createNamespace(cluster);
      for (const volume of volumes) await annotateVolume(cluster, volume, { [offerKey]: "yes" });
      for (const volume of volumes) await isOffered(cluster, volume);
      expect(await bindClaim(cluster, { name: "one" })).toBe(one);
      await deleteNamespace(cluster);
      await createNamespace(cluster);
      expect(await bindClaim(cluster, { name: "two" })).not.toBe(two);
      await isNoted(cluster, two, "asks");
    },
  },
  {
    title: "a new namespace of the same name gets the data only by the former one's uid, and an Event says so",
    settings: [asking],
    async run(cluster) {
      const { uid } = (await namespaceOf(cluster)).metadata;
      const volume = await keptClaim(cluster);
      await deleteNamespace(cluster);
      await createNamespace(cluster);
      expect(await bindClaim(cluster, { keep: "none" })).not.toBe(volume);
      await isNoted(cluster, volume, "asks");
      await isPhase(cluster, volume, "Released");
      expect(await hasEvent(cluster, volume, "NamespaceReplaced")).not.toContain(uid);
      await annotateNamespace(cluster, { [successorKey]: "yes" });
      await cluster.rest();
      await isNoted(cluster, volume, "asks");
      await deleteClaim(cluster);
      await annotateNamespace(cluster, { [successorKey]: uid });
      await isOffered(cluster, volume);
    },
  },
  {
    title: "an offer is withdrawn before its namespace is gone, so that a new one of the name cannot take the volume",
    settings: [asking, shipped],
    async run(cluster) {
      const volume = await offeredVolume(cluster);
      await deleteNamespace(cluster);
      const { spec } = await volumeOf(cluster, volume);
      expect(spec.claimRef?.uid).toBeDefined();
      await createNamespace(cluster);
      expect(await bindClaim(cluster)).not.toBe(volume);
      await isPhase(cluster, volume, "Released");
    },
  },
  {
    title:
      "a namespace keeps the finalizer while it exists, and is removed when it is deleted and nothing is offered there",
    settings: [asking],
    async run(cluster) {
      const volume = await offeredVolume(cluster);
      expect(await bindClaim(cluster)).toBe(volume);
      await isNoted(cluster, volume, "retained");
      await annotateNamespace(cluster, { "scenario.example/touched": "yes" });
      await cluster.rest();
      expect((await namespaceOf(cluster)).metadata.finalizers).toContain(guard);
      await annotateClaim(cluster, { [keepKey]: "none" });
      await isLeftToItsClaim(cluster, volume);
      await deleteNamespace(cluster);
      await createNamespace(cluster);
    },
  },
  {
    title: "with OTHER_NAMESPACE=always, a new namespace of the same name gets the data at once",
    settings: [always],
    async run(cluster) {
      const volume = await keptClaim(cluster);
      await deleteNamespace(cluster);
      await isOffered(cluster, volume);
      await createNamespace(cluster);
      expect(await bindClaim(cluster)).toBe(volume);
    },
  },
  {
    title: "by default, a namespace does not get the volumes of a former one by its uid",
    settings: [shipped],
    async run(cluster) {
      const { uid } = (await namespaceOf(cluster)).metadata;
      const volume = await keptClaim(cluster);
      await deleteNamespace(cluster);
      await createNamespace(cluster, { [successorKey]: uid });
      await isNoted(cluster, volume, "asks");
      await cluster.rest();
      await isPhase(cluster, volume, "Released");
    },
  },
  {
    title: "a volume whose namespace is gone is reclaimed when its time is over",
    settings: [asking],
    alone: true,
    async run(cluster) {
      const volume = await keptClaim(cluster);
      await deleteNamespace(cluster);
      await isNoted(cluster, volume, "asks");
      await makeDue(cluster, volume);
      await cluster.sweep();
      await volumeIsGone(cluster, volume);
      await createNamespace(cluster);
    },
  },
];
