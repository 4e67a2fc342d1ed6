import { expect } from "vitest";
import { Volume } from "../../../functions/volume/lib/kinds.ts";
import { volumeFinalizer } from "../../../functions/volume/lib/volume.ts";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import {
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StatefulSet,
  StorageClass,
} from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { holdfastProtection } from "../../../shared/storage/protection.ts";
import type { Cluster, Setting } from "../../harness/cluster.ts";
import { claim } from "../../harness/manifest.ts";
import * as eviction from "../eviction/helpers.ts";
import { standInSetting } from "../eviction/settings.ts";
import * as protection from "../pvc-protection/helpers.ts";
import * as retention from "../pvc-retention/helpers.ts";
import * as undelete from "../undelete/helpers.ts";
import * as volumes from "../volume/helpers.ts";
import { standInSalt } from "../volume/settings.ts";
import { playSatellite, standInLinstor } from "./satellite.ts";

/** What must be so once Holdfast is off the cluster; `said`: what the command has said. */
type After = (said: string) => Promise<void>;

/** By system: its main scenario, which ends in the middle of the next one, for the uninstall to see to. */
export const plays: Readonly<Record<string, (cluster: Cluster) => Promise<After>>> = {
  "pvc-protection": async (cluster) => {
    await protection.protectedClaim(cluster, "used");
    await protection.runningPod(cluster, "user", ["used"]);
    await protection.deleteClaim(cluster, "used");
    await cluster.rest();
    expect(await protection.claimOf(cluster, "used")).toBeDefined();
    await protection.removePod(cluster, "user");
    await protection.claimGoes(cluster, "used");
    await protection.protectedClaim(cluster, "kept");
    await protection.protectedClaim(cluster, "leaving");
    await protection.runningPod(cluster, "another", ["leaving"]);
    await protection.deleteClaim(cluster, "leaving");
    return async () => {
      // Something changes, which would trigger protect, were it there.
      await cluster.admin.patch(PersistentVolumeClaim, cluster.namespace, "kept", "merge", {
        metadata: { labels: { a: "b" } },
      });
      await cluster.rest();
      for (const name of ["kept", "leaving"])
        expect((await protection.claimOf(cluster, name))?.metadata.finalizers).toEqual([protection.inTree]);
      await protection.removePod(cluster, "another");
      await protection.claimGoes(cluster, "leaving");
    };
  },

  "pvc-retention": async (cluster) => {
    const policy = "DeleteOnScaledownAndStatefulSetDeletion";
    await retention.runningSet(cluster, { policy });
    const [, second] = await retention.dataOf(cluster, [0, 1]);
    await retention.scale(cluster, 1);
    await retention.volumeGoes(cluster, second as retention.Data);
    await retention.inForce(cluster, policy);
    return async () => {
      expect(await retention.fieldOf(cluster)).toBe("Retain/Retain");
      const { metadata } = await retention.setOf(cluster);
      expect(metadata.annotations?.[retention.policyKey]).toBe(policy);
      await retention.scale(cluster, 0);
      await cluster.eventually("the pod is gone", async () => !(await retention.podOf(cluster, 0)));
      await cluster.rest();
      expect(await retention.claimOf(cluster, 0)).toBeDefined();
    };
  },

  undelete: async (cluster) => {
    const back = await undelete.offeredVolume(cluster, { name: "back" });
    await undelete.createClaim(cluster, { name: "back" });
    expect(await undelete.boundVolume(cluster, "back")).toBe(back);
    await undelete.isNoted(cluster, back, "retained");
    const offered = await undelete.offeredVolume(cluster, { name: "lost" });
    return async (said) => {
      for (const volume of [back, offered]) {
        expect(said).toContain(volume);
        expect((await undelete.volumeOf(cluster, volume)).spec.persistentVolumeReclaimPolicy).toBe("Retain");
      }
      // It is kept, and the next claim of the name, whosever it is, does not get it.
      await undelete.isPhase(cluster, offered, "Released");
      await undelete.createClaim(cluster, { name: "lost", keep: "" });
      expect(await undelete.boundVolume(cluster, "lost")).not.toBe(offered);
    };
  },
};

/** A system that the default does not install, with the setting of its stand-in and its main scenario. */
interface Beside {
  /** The setting, changed so. */
  setting(changes: Partial<Setting>): Setting;
  play(cluster: Cluster): Promise<After>;
}

/** By system. Its own objects stand for something outside the cluster: they stay, with their finalizer. */
export const playsBeside: Readonly<Record<string, Beside>> = {
  volume: {
    setting: (changes) => ({ ...standInSalt, ...changes }),
    async play(cluster) {
      const { admin, namespace } = cluster;
      const storageClassName = await volumes.createNodeAndClass(cluster);
      const name = await volumes.createVolume(cluster);
      await volumes.reaches(cluster, name, "Available");
      const spec = { storageClassName, resources: { requests: { storage: "8Mi" } } };
      await admin.create(PersistentVolumeClaim, claim({ namespace, name: "data" }, spec));
      await volumes.swept(cluster, "the claim is bound", async () => {
        const live = await admin.get<KubernetesObject & { spec: { volumeName?: string } }>(
          PersistentVolumeClaim,
          namespace,
          "data",
        );
        return live?.spec.volumeName;
      });
      await admin.delete(PersistentVolumeClaim, namespace, "data");
      await admin.delete(Volume, undefined, name);
      await volumes.isGone(cluster, name);
      const left = await volumes.createVolume(cluster, {}, "-left");
      await volumes.reaches(cluster, left, "Available");
      await volumes.swept(cluster, "nothing is under way", async () => {
        const { status } = (await volumes.volumeOf(cluster, left)) ?? {};
        return status?.job === "" && status.deviceName ? true : undefined;
      });
      return async (said) => {
        expect(said).toContain(left);
        const both = [await volumes.volumeOf(cluster, left), await volumes.persistentVolumeOf(cluster, left)];
        for (const one of both) expect(one?.metadata.finalizers).toContain(volumeFinalizer);
        for (const kind of [PersistentVolume, Volume]) await deleteUnheld(cluster, kind, undefined, left);
        await admin.delete(StorageClass, undefined, storageClassName);
        await admin.delete(Node, undefined, volumes.minion);
      };
    },
  },

  eviction: {
    setting: (changes) =>
      Object.assign(standInSetting({ EVICTION_DOWN_FOR: "15s", EVICTION_LOOK_AGAIN: "2000" }), changes),
    async play(cluster) {
      await eviction.serving(cluster);
      const ids = await eviction.boot(cluster, 1);
      await eviction.evict(cluster);
      await eviction.isGone(cluster);
      expect(await eviction.whereabouts(cluster, ids)).toEqual([`ACTIVE ${eviction.other}`]);
      await eviction.create(cluster);
      await eviction.serves(cluster);
      return async (said) => {
        expect(said).toContain(eviction.node);
        expect((await eviction.computeOf(cluster))?.metadata.finalizers?.length).toBeGreaterThan(0);
        expect(await eviction.serviceOf(cluster)).toMatchObject({ isEnabled: true });
        await eviction.cleared(cluster);
      };
    },
  },

  satellite: { setting: standInLinstor, play: playSatellite },
};

/** Deletes what stays, as after the last install: nothing that would reclaim it comes back. */
async function deleteUnheld(
  { admin }: Cluster,
  kind: Kind,
  namespace: string | undefined,
  name: string,
): Promise<void> {
  await admin.patch(kind, namespace, name, "merge", { metadata: { finalizers: null } });
  await admin.delete(kind, namespace, name);
}

/** An object that nothing holds any more goes, and so does its namespace. */
export async function nothingHangs({ admin, namespace, eventually }: Cluster): Promise<void> {
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
