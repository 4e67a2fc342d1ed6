import { expect } from "vitest";
import { Event, PersistentVolumeClaim, ResourceQuota } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Cluster } from "../../harness/cluster.ts";
import { manifest } from "../../harness/manifest.ts";
import type { Scenario } from "../scenario.ts";
import {
  annotateNamespace,
  annotateVolume,
  bindClaim,
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
import { claimsIgnored, narrow, shipped } from "./settings.ts";

const day = 86_400_000;

/** Waits until a claim has an Event of this reason, and none of the other. */
function claimHasEvent({ admin, namespace, eventually }: Cluster, name: string, reason: string, not?: string) {
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
    title: "volumes are kept for the longest time if a claim asks for a longer time, or for an unreadable one",
    settings: [narrow],
    async run(cluster) {
      for (const [name, keep] of Object.entries({ long: "36500d", unreadable: "for ever" })) {
        const volume = await keptClaim(cluster, { name, keep });
        expect(noteOn(await volumeOf(cluster, volume))).toMatchObject({ for: "7d" });
        await deleteClaim(cluster, name);
        const { metadata } = await isOffered(cluster, volume);
        const due = Date.parse(metadata.annotations?.[reclaimAtKey] ?? "");
        expect(due).toBeLessThanOrEqual(cluster.clock.now() + 7 * day + 1000);
        expect(due).toBeGreaterThan(cluster.clock.now() + 6 * day);
        await annotateVolume(cluster, volume, { [reclaimAtKey]: "2020-01-01T00:00:00Z" });
        await cluster.sweep();
        await volumeIsGone(cluster, volume);
      }
    },
  },
  {
    title: "when a namespace has reached MOST_KEPT, its other claims say that their volumes will not be kept",
    settings: [narrow],
    alone: true,
    async run(cluster) {
      const kept = await keptClaim(cluster, { name: "kept" });
      const live = await keptClaim(cluster, { name: "live" });
      await deleteClaim(cluster, "kept");
      await isOffered(cluster, kept);
      const { spec } = await isNoted(cluster, live, "unkept");
      expect(spec.persistentVolumeReclaimPolicy).toBe("Delete");
      await claimHasEvent(cluster, "live", "NamespaceFull");
      const late = await bindClaim(cluster, { name: "late" });
      await isNoted(cluster, late, "unkept");
      await deleteClaim(cluster, "late");
      await volumeIsGone(cluster, late);
      await annotateVolume(cluster, kept, { [reclaimAtKey]: "2020-01-01T00:00:00Z" });
      await cluster.sweep();
      await volumeIsGone(cluster, kept);
      await cluster.sweep();
      expect((await isNoted(cluster, live, "retained")).spec.persistentVolumeReclaimPolicy).toBe("Retain");
      await claimHasEvent(cluster, "live", "VolumeKeptAgain", "NamespaceFull");
    },
  },
  {
    title: "by default, a tenant's claims keep as much as its ResourceQuota allows, and other claims say so",
    settings: [shipped],
    alone: true,
    async run(cluster) {
      const kept = await keptClaim(cluster, { name: "kept" });
      const live = await keptClaim(cluster, { name: "live" });
      const hard = { "requests.storage": "1Gi" };
      const { admin, namespace } = cluster;
      await admin.create(ResourceQuota, manifest(ResourceQuota, { namespace, name: "team" }, { spec: { hard } }));
      await deleteClaim(cluster, "kept");
      await isOffered(cluster, kept);
      expect((await isNoted(cluster, live, "unkept")).spec.persistentVolumeReclaimPolicy).toBe("Delete");
      await claimHasEvent(cluster, "live", "NamespaceFull");
      // An administrator's word about the namespace stands above its quota.
      await annotateNamespace(cluster, { [keepKey]: "30m" });
      expect((await isNoted(cluster, live, "retained")).spec.persistentVolumeReclaimPolicy).toBe("Retain");
      await claimHasEvent(cluster, "live", "VolumeKeptAgain", "NamespaceFull");
    },
  },
  {
    title: "with CLAIM_ANNOTATION=ignored, a claim's annotation has no effect, and that of its namespace has",
    settings: [claimsIgnored],
    async run(cluster) {
      const volume = await bindClaim(cluster, { keep: "24h" });
      await cluster.rest();
      await isLeftToItsClaim(cluster, volume);
      await annotateNamespace(cluster, { [keepKey]: "30m" });
      expect(noteOn(await isNoted(cluster, volume, "retained"))).toMatchObject({ for: "30m" });
    },
  },
];
