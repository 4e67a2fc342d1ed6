import { expect } from "vitest";
import type { Scenario } from "../scenario.ts";
import {
  annotateClaim,
  annotateNamespace,
  annotateVolume,
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

/** A namespace goes, and one of its name comes. */
export const namespaces: readonly Scenario[] = [
  {
    title: "a namespace deleted by accident comes back with its data, on the word of who may give it",
    settings: [asking, shipped],
    async run(world) {
      const volumes = [await keptClaim(world, { name: "one" }), await keptClaim(world, { name: "two" })];
      await deleteNamespace(world);
      for (const volume of volumes) {
        await isNoted(world, volume, "asks");
        await annotateVolume(world, volume, { [offerKey]: "yes" });
      }
      for (const volume of volumes) await isOffered(world, volume);
      await createNamespace(world);
      for (const name of ["one", "two"]) await createClaim(world, { name });
      expect([await boundVolume(world, "one"), await boundVolume(world, "two")]).toEqual(volumes);
    },
  },
  {
    title:
      "another namespace of the name does not get the data, says what to do, and gets it by the former one's uid alone",
    settings: [asking],
    async run(world) {
      const { uid } = (await namespaceOf(world)).metadata;
      const volume = await keptClaim(world);
      await deleteNamespace(world);
      await createNamespace(world);
      await createClaim(world, { keep: "none" });
      expect(await boundVolume(world)).not.toBe(volume);
      await isNoted(world, volume, "asks");
      await isPhase(world, volume, "Released");
      expect(await hasEvent(world, volume, "NamespaceReplaced")).not.toContain(uid);
      await annotateNamespace(world, { [successorKey]: "yes" });
      await world.rest();
      await isNoted(world, volume, "asks");
      await deleteClaim(world);
      await annotateNamespace(world, { [successorKey]: uid });
      await isOffered(world, volume);
    },
  },
  {
    title: "an offer is withdrawn before the namespace is gone, so that another one of its name cannot take it",
    settings: [asking, shipped],
    async run(world) {
      const volume = await offeredVolume(world);
      await deleteNamespace(world);
      const { spec } = await volumeOf(world, volume);
      expect(spec.claimRef?.uid).toBeDefined();
      await createNamespace(world);
      await createClaim(world);
      expect(await boundVolume(world)).not.toBe(volume);
      await isPhase(world, volume, "Released");
    },
  },
  {
    title:
      "a namespace is held for as long as it lives, and goes when it is deleted and nothing is offered there any more",
    settings: [asking],
    async run(world) {
      const volume = await offeredVolume(world);
      await createClaim(world);
      expect(await boundVolume(world)).toBe(volume);
      await isNoted(world, volume, "retained");
      await annotateNamespace(world, { "scenario.example/touched": "yes" });
      await world.rest();
      expect((await namespaceOf(world)).metadata.finalizers).toContain(guard);
      await annotateClaim(world, { [keepKey]: "none" });
      await isLeftToItsClaim(world, volume);
      await deleteNamespace(world);
      await createNamespace(world);
    },
  },
  {
    title: "a namespace of the same name has its data at once where that was set",
    settings: [always],
    async run(world) {
      const volume = await keptClaim(world);
      await deleteNamespace(world);
      await isOffered(world, volume);
      await createNamespace(world);
      await createClaim(world);
      expect(await boundVolume(world)).toBe(volume);
    },
  },
  {
    title: "no namespace takes the volumes of another by knowing its uid",
    settings: [shipped],
    async run(world) {
      const { uid } = (await namespaceOf(world)).metadata;
      const volume = await keptClaim(world);
      await deleteNamespace(world);
      await createNamespace(world, { [successorKey]: uid });
      await isNoted(world, volume, "asks");
      await world.rest();
      await isPhase(world, volume, "Released");
    },
  },
  {
    title: "a volume whose namespace is gone is reclaimed when its time has come",
    settings: [asking],
    alone: true,
    async run(world) {
      const volume = await keptClaim(world);
      await deleteNamespace(world);
      await isNoted(world, volume, "asks");
      await makeDue(world, volume);
      await world.sweep();
      await volumeIsGone(world, volume);
      await createNamespace(world);
    },
  },
];
