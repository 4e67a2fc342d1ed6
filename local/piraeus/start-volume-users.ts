import { VolumeAttachment } from "../../functions/satellite/lib/kinds.ts";
import {
  csiDriver,
  type PersistentVolumeObject,
  type VolumeAttachmentObject,
} from "../../functions/satellite/lib/volumes.ts";
import { ApiError } from "../../shared/kubernetes/api-error.ts";
import { Node, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { ControllerTools } from "../controllers/controller.ts";
import type { LinstorStandIn } from "../linstor/linstor.ts";

/** What uses volumes of LINSTOR's driver. */
export type VolumeUsers = ReturnType<typeof startVolumeUsers>;

export interface VolumeUsersOptions {
  /** Milliseconds that a pod takes to leave its node; 5,000 by default. */
  readonly leaving?: number;
}

type NodeObject = KubernetesObject & { spec?: { unschedulable?: boolean } };

/**
 * Pods that use volumes, with attach-detach and external-attacher, in miniature: a use moves from a Node that is
 * cordoned, or gone, to another, where the volume's node affinity lets it. One with a copy is preferred; where every
 * copy is on such Nodes, and the volume may be used from afar, LINSTOR's CSI driver makes a diskless client on any
 * other Node.
 */
export function startVolumeUsers(
  { client, clock, signal, reflections, trouble }: ControllerTools,
  linstor: LinstorStandIn,
  { leaving = 5_000 }: VolumeUsersOptions = {},
) {
  const moving = new Set<string>();
  const schedulable = new Set<string>();

  /** Attaches a volume to a node and uses it there. */
  async function attach(volume: string, node: string): Promise<void> {
    const name = `csi-${volume}-${node}`;
    const { apiVersion, kind } = VolumeAttachment;
    const spec = { attacher: csiDriver, nodeName: node, source: { persistentVolumeName: volume } };
    await client.create(VolumeAttachment, {
      apiVersion,
      kind,
      metadata: { name },
      spec,
    } as unknown as KubernetesObject);
    await client.patch(
      VolumeAttachment,
      undefined,
      name,
      "merge",
      { status: { attached: true } },
      { subresource: "status" },
    );
    if (!linstor.hasCopy(volume, node) && linstor.nodes().includes(node)) linstor.addClient(volume, node);
    if (linstor.hasCopy(volume, node)) linstor.setInUse(volume, node, true);
  }

  /** The Node on which a use that leaves another one may begin, if there is one now. */
  function nextNode(volume: PersistentVolumeObject, node: string): string | undefined {
    const { name, annotations = {} } = volume.metadata;
    const isLocal = volume.spec?.csi?.volumeAttributes?.["linstor.csi.linbit.com/remote-access-policy"] === "false";
    const isOverridden = Object.keys(annotations).some((key) => key.startsWith("override.piraeus.io/"));
    const copy = linstor.goodCopies(name).find((one) => one !== node && schedulable.has(one));
    if (copy || (isLocal && !isOverridden)) return copy;
    return [...schedulable].sort().find((one) => one !== node && linstor.nodes().includes(one));
  }

  async function move(name: string, volume: string, node: string): Promise<void> {
    await clock.sleep(leaving, signal);
    await client.delete(VolumeAttachment, undefined, name);
    if (linstor.hasCopy(volume, node)) linstor.setInUse(volume, node, false);
    linstor.removeClient(volume, node);
    for (;;) {
      const object = await client.get<PersistentVolumeObject>(PersistentVolume, undefined, volume);
      const other = object && nextNode(object, node);
      if (!linstor.goodCopies(volume).length) return;
      // The affinity controller makes the volume again, for which it is gone for a moment.
      if (object && !object.spec?.nodeAffinity && other) {
        await attach(volume, other);
        // It was cordoned, or deleted, while the pod was on its way to it.
        return schedulable.has(other) ? undefined : empty(other);
      }
      await clock.sleep(leaving, signal);
    }
  }

  async function empty(node: string): Promise<void> {
    const attachments = await Array.fromAsync(client.list<VolumeAttachmentObject>(VolumeAttachment));
    for (const { metadata, spec } of attachments) {
      const volume = spec.source.persistentVolumeName as string;
      if (spec.nodeName !== node || moving.has(metadata.name)) continue;
      moving.add(metadata.name);
      move(metadata.name, volume, node)
        .catch((error) => {
          if (!signal.aborted && !(error instanceof ApiError))
            trouble({ controller: "volume-users", subject: volume, error });
        })
        .finally(() => moving.delete(metadata.name));
    }
  }

  reflections.of<NodeObject>(Node).on((change, { metadata: { name }, spec }) => {
    if (change !== "delete" && !spec?.unschedulable) schedulable.add(name);
    else {
      schedulable.delete(name);
      empty(name).catch((error) => !signal.aborted && trouble({ controller: "volume-users", subject: name, error }));
    }
  });
  return { attach };
}
