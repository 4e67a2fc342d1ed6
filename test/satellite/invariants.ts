import {
  Cluster,
  LinstorCluster,
  LinstorSatellite,
  Machine,
  VolumeAttachment,
} from "../../functions/satellite/lib/kinds.ts";
import { type MachineObject, preDrainHook, preTerminateHook } from "../../functions/satellite/lib/machine.ts";
import { recordKey } from "../../functions/satellite/lib/record.ts";
import type { LinstorSatelliteObject } from "../../functions/satellite/lib/satellite.ts";
import {
  marksFor,
  marksOn,
  type PersistentVolumeObject,
  type VolumeAttachmentObject,
} from "../../functions/satellite/lib/volumes.ts";
import { PersistentVolume } from "../../shared/kubernetes/kind.ts";
import { nodes, type SatelliteHarness } from "./harness.ts";

/** What an evacuation must never do, looked at behind every write of a rule, in the stand-ins themselves. */
export function watchInvariants(harness: SatelliteHarness): void {
  /** The fewest good copies that each volume had before anything left. */
  const floor = new Map<string, number>();
  const hooks = new Map<string, { drain: boolean; terminate: boolean }>();
  /** By uid: one that is made again at once is another one. */
  const satellites = new Map<string, { name: string; policy: string | undefined; owner: string | undefined }>();
  const after = async () => {
    if (harness.calls.atOnce > 1) throw new Error("Two evacuate calls were in flight.");

    const live = new Set<string>();
    for await (const satellite of harness.client.list<never>(LinstorSatellite)) {
      const { metadata, spec } = satellite as LinstorSatelliteObject;
      const owner = metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
      live.add(metadata.uid);
      satellites.set(metadata.uid, { name: metadata.name, policy: spec?.deletionPolicy, owner });
    }
    for (const [uid, { name, policy, owner }] of satellites) {
      // Writes are watched side by side, and the list may be older than what another has seen.
      if (live.has(uid) || (await harness.get(LinstorSatellite, name))?.metadata.uid === uid) continue;
      // Where its LinstorCluster goes, or is gone or another one, no one has asked for its policy.
      const ends = (await harness.get(Cluster, "test"))?.metadata.deletionTimestamp !== undefined;
      const cluster = await harness.get(LinstorCluster, "linstorcluster");
      const stays = !ends && cluster?.metadata.uid === owner && cluster?.metadata.deletionTimestamp === undefined;
      const listed = stays && (await isListed(harness, name));
      if (policy !== "Retain" && listed)
        throw new Error(`LinstorSatellite ${name} went before its policy ${policy} was done.`);
      satellites.delete(uid);
    }

    for await (const volume of harness.client.list(PersistentVolume)) {
      const { name } = volume.metadata;
      const good = harness.linstor.goodCopies(name);
      floor.set(name, floor.get(name) ?? good.length);
      if (good.length < Math.min(1, floor.get(name) as number))
        throw new Error(`Volume ${name} has lost its last copy.`);
      for (const node of nodes) {
        if (marksOn(volume.metadata.annotations, node).length === 0) continue;
        const satellite = await harness.get(LinstorSatellite, node);
        if (!satellite || satellite.metadata.annotations?.[recordKey] === undefined)
          throw new Error(`Volume ${name} carries marks of ${node}, which is not being evacuated.`);
      }
    }

    for await (const machine of harness.client.list(Machine)) {
      const { name, annotations = {}, deletionTimestamp } = machine.metadata;
      const now = { drain: preDrainHook in annotations, terminate: preTerminateHook in annotations };
      const before = hooks.get(name);
      if (deletionTimestamp && before) {
        if (now.drain && !now.terminate)
          throw new Error(`Machine ${name} lost its pre-terminate hook before pre-drain.`);
        if ((now.drain && !before.drain) || (now.terminate && !before.terminate))
          throw new Error(`Machine ${name} got a hook back that had been released.`);
      }
      // A Machine that is made to wait late has had none before.
      if (before || now.drain || now.terminate) hooks.set(name, now);
    }
  };

  /** A Machine may be gone as soon as it is released, so that what must be true is looked at before. */
  const before = async ({ path, body = "" }: { path: string; body?: string }) => {
    const written = /\/linstorsatellites\/([^/?]+)/.exec(path)?.[1] ?? "";
    const live = written ? await harness.get<LinstorSatelliteObject>(LinstorSatellite, written) : undefined;
    const known = live && satellites.get(live.metadata.uid);
    // A person may have changed its policy since.
    if (known) satellites.set(live.metadata.uid, { ...known, policy: live.spec?.deletionPolicy });
    const name = /\/machines\/([^/?]+)/.exec(path)?.[1];
    const machine = name ? await harness.get<MachineObject>(Machine, name) : undefined;
    const node = machine?.status?.nodeRef?.name;
    const satellite = node ? await harness.get<LinstorSatelliteObject>(LinstorSatellite, node) : undefined;
    const cluster = await harness.get(Cluster, "test");
    const evacuates = satellite?.spec?.deletionPolicy === "Evacuate" && !cluster?.metadata.deletionTimestamp;
    if (!node || !evacuates || !machine?.metadata.deletionTimestamp) return;
    const volumes = await Array.fromAsync(harness.client.list<PersistentVolumeObject>(PersistentVolume));
    if (body.includes(`"${preDrainHook}":null`)) {
      const attachments = await Array.fromAsync(harness.client.list<VolumeAttachmentObject>(VolumeAttachment));
      const here = attachments
        .filter(({ spec }) => spec.nodeName === node)
        .map(({ spec }) => spec.source.persistentVolumeName);
      for (const { metadata, spec } of volumes.filter((one) => here.includes(one.metadata.name))) {
        if (metadata.annotations?.[marksFor(node).waits] !== "true")
          throw new Error(`Machine ${name} is drained while ${metadata.name} is not marked.`);
        if (spec?.nodeAffinity)
          throw new Error(`Machine ${name} is drained while ${metadata.name} cannot be used on any other node.`);
      }
    }
    if (body.includes(`"${preTerminateHook}":null`))
      for (const { metadata } of volumes) {
        if (marksOn(metadata.annotations, node).length > 0)
          throw new Error(`Machine ${name} is released while ${metadata.name} carries marks.`);
        if (harness.linstor.goodCopies(metadata.name).includes(node) && (await isListed(harness, node)))
          throw new Error(`Machine ${name} is released while ${metadata.name} has a copy on its node.`);
      }
  };
  harness.onWrite({ before, after });
}

const isListed = async (harness: SatelliteHarness, node: string) =>
  (await harness.linstor.transport({ method: "GET", path: `/v1/nodes/${node}`, headers: {} })).status === 200;
