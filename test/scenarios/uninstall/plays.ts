import { expect } from "vitest";
import { Namespace, PersistentVolumeClaim, Pod, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { holdfastProtection } from "../../../shared/storage/protection.ts";
import { claim } from "../../worlds/manifest.ts";
import type { World } from "../../worlds/world.ts";
import * as protection from "../pvc-protection/helpers.ts";
import * as retention from "../pvc-retention/helpers.ts";
import * as undelete from "../undelete/helpers.ts";

/** What must be so once Holdfast is off the cluster; `said`: what the command has said. */
type After = (said: string) => Promise<void>;

/** By system: its main scenario, which ends in the middle of the next one, for the uninstall to see to. */
export const plays: Readonly<Record<string, (world: World) => Promise<After>>> = {
  "pvc-protection": async (world) => {
    await protection.protectedClaim(world, "used");
    await protection.runningPod(world, "user", ["used"]);
    await protection.deleteClaim(world, "used");
    await world.rest();
    expect(await protection.claimOf(world, "used")).toBeDefined();
    await protection.removePod(world, "user");
    await protection.claimGoes(world, "used");
    await protection.protectedClaim(world, "kept");
    await protection.protectedClaim(world, "leaving");
    await protection.runningPod(world, "another", ["leaving"]);
    await protection.deleteClaim(world, "leaving");
    return async () => {
      // Something changes, which would trigger protect, were it there.
      await world.admin.patch(PersistentVolumeClaim, world.namespace, "kept", "merge", {
        metadata: { labels: { a: "b" } },
      });
      await world.rest();
      for (const name of ["kept", "leaving"])
        expect((await protection.claimOf(world, name))?.metadata.finalizers).toEqual([protection.inTree]);
      await protection.removePod(world, "another");
      await protection.claimGoes(world, "leaving");
    };
  },

  "pvc-retention": async (world) => {
    const policy = "DeleteOnScaledownAndStatefulSetDeletion";
    await retention.runningSet(world, { policy });
    const [, second] = await retention.dataOf(world, [0, 1]);
    await retention.scale(world, 1);
    await retention.volumeGoes(world, second as retention.Data);
    await retention.inForce(world, policy);
    return async () => {
      expect(await retention.fieldOf(world)).toBe("Retain/Retain");
      const { metadata } = await retention.setOf(world);
      expect(metadata.annotations?.[retention.policyKey]).toBe(policy);
      await retention.scale(world, 0);
      await world.eventually("the pod is gone", async () => !(await retention.podOf(world, 0)));
      await world.rest();
      expect(await retention.claimOf(world, 0)).toBeDefined();
    };
  },

  undelete: async (world) => {
    const back = await undelete.offeredVolume(world, { name: "back" });
    await undelete.createClaim(world, { name: "back" });
    expect(await undelete.boundVolume(world, "back")).toBe(back);
    await undelete.isNoted(world, back, "retained");
    const offered = await undelete.offeredVolume(world, { name: "lost" });
    return async (said) => {
      for (const volume of [back, offered]) {
        expect(said).toContain(volume);
        expect((await undelete.volumeOf(world, volume)).spec.persistentVolumeReclaimPolicy).toBe("Retain");
      }
      // It is kept, and the next claim of the name, whosever it is, does not get it.
      await undelete.isPhase(world, offered, "Released");
      await undelete.createClaim(world, { name: "lost", keep: "" });
      expect(await undelete.boundVolume(world, "lost")).not.toBe(offered);
    };
  },
};

/** An object that nothing holds any more goes, and so does its namespace. */
export async function nothingHangs(world: World): Promise<void> {
  const { admin, namespace, eventually } = world;
  await admin.create(PersistentVolumeClaim, claim({ namespace, name: "last" }));
  await admin.delete(PersistentVolumeClaim, namespace, "last");
  for (const kind of [StatefulSet, Pod])
    for await (const { metadata } of admin.list<KubernetesObject>(kind, { namespace }))
      await admin.delete(kind, namespace, metadata.name, { gracePeriodSeconds: 0 });
  await admin.delete(Namespace, undefined, namespace);
  await eventually("the namespace is gone", async () => !(await admin.get(Namespace, undefined, namespace)));
  for await (const { metadata } of admin.list<KubernetesObject>(PersistentVolumeClaim))
    expect(metadata.finalizers ?? []).not.toContain(holdfastProtection);
}
