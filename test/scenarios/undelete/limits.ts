import { expect } from "vitest";
import { Event, PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { World } from "../../worlds/world.ts";
import type { Scenario } from "../scenario.ts";
import {
  annotateNamespace,
  annotateVolume,
  boundVolume,
  createClaim,
  deleteClaim,
  isNoted,
  isOffered,
  keepKey,
  keptClaim,
  noteOn,
  reclaimAtKey,
  volumeIsGone,
  volumeOf,
} from "./helpers.ts";
import { isLeftToItsClaim } from "./scopes.ts";
import { claimsIgnored, narrow } from "./settings.ts";

const day = 86_400_000;

/** Waits until a claim has an Event of this reason, and none of the other. */
function claimHasEvent({ admin, namespace, eventually }: World, name: string, reason: string, not?: string) {
  return eventually(`claim ${name} has the Event ${reason}`, async () => {
    const claim = await admin.get(PersistentVolumeClaim, namespace, name);
    const reasons: string[] = [];
    for await (const event of admin.list<KubernetesObject & { reason: string; regarding?: { uid?: string } }>(Event, {
      namespace,
    }))
      if (event.regarding?.uid === claim?.metadata.uid) reasons.push(event.reason);
    return reasons.includes(reason) && !(not && reasons.includes(not));
  });
}

/** How far a tenant comes with annotations of its own: kept volumes count in no ResourceQuota. */
export const limits: readonly Scenario[] = [
  {
    title: "volumes are kept for the longest time where a claim asks for more, or for what cannot be read",
    settings: [narrow],
    async run(world) {
      for (const [name, keep] of Object.entries({ long: "36500d", unreadable: "for ever" })) {
        const volume = await keptClaim(world, { name, keep });
        expect(noteOn(await volumeOf(world, volume))).toMatchObject({ for: "7d" });
        await deleteClaim(world, name);
        const { metadata } = await isOffered(world, volume);
        const due = Date.parse(metadata.annotations?.[reclaimAtKey] ?? "");
        expect(due).toBeLessThanOrEqual(world.clock.now() + 7 * day + 1000);
        expect(due).toBeGreaterThan(world.clock.now() + 6 * day);
        await annotateVolume(world, volume, { [reclaimAtKey]: "2020-01-01T00:00:00Z" });
        await world.sweep();
        await volumeIsGone(world, volume);
      }
    },
  },
  {
    title: "once as much is kept as may be, the other claims say while they live that their volumes go with them",
    settings: [narrow],
    alone: true,
    async run(world) {
      const kept = await keptClaim(world, { name: "kept" });
      const live = await keptClaim(world, { name: "live" });
      await deleteClaim(world, "kept");
      await isOffered(world, kept);
      const { spec } = await isNoted(world, live, "unkept");
      expect(spec.persistentVolumeReclaimPolicy).toBe("Delete");
      await claimHasEvent(world, "live", "NamespaceFull");
      await createClaim(world, { name: "late" });
      const late = await boundVolume(world, "late");
      await isNoted(world, late, "unkept");
      await deleteClaim(world, "late");
      await volumeIsGone(world, late);
      await annotateVolume(world, kept, { [reclaimAtKey]: "2020-01-01T00:00:00Z" });
      await world.sweep();
      await volumeIsGone(world, kept);
      await world.sweep();
      expect((await isNoted(world, live, "retained")).spec.persistentVolumeReclaimPolicy).toBe("Retain");
      await claimHasEvent(world, "live", "VolumeKeptAgain", "NamespaceFull");
    },
  },
  {
    title: "a claim's own annotation counts for nothing where it is ignored, and that of its namespace does",
    settings: [claimsIgnored],
    async run(world) {
      await createClaim(world, { keep: "24h" });
      const volume = await boundVolume(world);
      await world.rest();
      await isLeftToItsClaim(world, volume);
      await annotateNamespace(world, { [keepKey]: "30m" });
      expect(noteOn(await isNoted(world, volume, "retained"))).toMatchObject({ for: "30m" });
    },
  },
];
