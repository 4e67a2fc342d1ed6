import { VolumeAttachment } from "../../../functions/satellite/lib/kinds.ts";
import type { VolumeAttachmentObject } from "../../../functions/satellite/lib/volumes.ts";
import type { ControllerTools } from "../../../local/controllers/controller.ts";
import { startObjectQueue } from "../../../local/controllers/object-queue.ts";
import type { LinstorStandIn } from "../../../local/linstor/linstor.ts";

const finalizer = "external-attacher/linstor-csi-linbit-com";

/**
 * LINSTOR's CSI driver as far as Kubernetes' own attach-detach controller needs it: what that one asks to be attached
 * is in use on the node, and is not any more before the attachment goes.
 */
export function startAttacher(tools: ControllerTools, linstor: LinstorStandIn) {
  const { client, reflections } = tools;
  const attachments = reflections.of<VolumeAttachmentObject>(VolumeAttachment);
  startObjectQueue(tools, {
    controller: "attacher",
    objects: attachments,
    async work({ spec, status, metadata }, name) {
      const volume = spec.source.persistentVolumeName ?? "";
      const patch = (change: object, options = {}) =>
        client.patch(VolumeAttachment, undefined, name, "merge", change, options);
      const report = (attached: boolean) => patch({ status: { attached } }, { subresource: "status" });
      if (metadata.deletionTimestamp) {
        linstor.setInUse(volume, spec.nodeName, false);
        await report(false);
        await patch({ metadata: { finalizers: null } });
      } else if (!metadata.finalizers?.length) await patch({ metadata: { finalizers: [finalizer] } });
      else if (!status?.attached) {
        linstor.setInUse(volume, spec.nodeName, true);
        await report(true);
      }
    },
  });
}
