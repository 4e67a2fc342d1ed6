import { requiredValue } from "../validation/cause.ts";
import { objectIn, setMissing, specOf, statusOf } from "./fields.ts";
import type { Strategy } from "./strategy.ts";

/** PersistentVolumes. */
export const volumeStrategy: Strategy = {
  answersDeleted: true,

  defaults(volume) {
    const spec = objectIn(volume, "spec");
    setMissing(spec, { persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem" });
    if (spec.hostPath) setMissing(objectIn(spec, "hostPath"), { type: "" });
    setMissing(objectIn(volume, "status"), { phase: "Pending" });
  },

  prepareCreate(volume, now) {
    volume.status = { phase: "Pending", lastPhaseTransitionTime: now };
  },

  prepareStatus(next, live, now) {
    const status = objectIn(next, "status");
    if (status.phase !== statusOf(live).phase) status.lastPhaseTransitionTime = now;
  },

  validate(volume) {
    const { capacity, accessModes } = specOf(volume);
    return [
      ...(capacity ? [] : [requiredValue("spec.capacity")]),
      ...(accessModes ? [] : [requiredValue("spec.accessModes")]),
    ];
  },
};

/** StorageClasses. */
export const storageClassStrategy: Strategy = {
  answersDeleted: true,
  defaults: (object) => setMissing(object, { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" }),
  validate: ({ provisioner }) => (provisioner ? [] : [requiredValue("provisioner")]),
};

/** VolumeAttachments. */
export const attachmentStrategy: Strategy = {
  answersDeleted: true,
  versionRequired: true,
  prepareCreate(attachment) {
    attachment.status = { attached: false };
  },
};
