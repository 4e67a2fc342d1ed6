import { isDeepStrictEqual } from "node:util";
import type { Fields } from "../../../shared/kubernetes/fields.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import {
  type Cause,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from "../validation/status-cause.ts";
import { fieldsAt, objectIn, setMissing, specOf, statusOf } from "./fields.ts";
import type { Strategy } from "./strategy.ts";

/** PersistentVolumes: where they are cannot change. */
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

  validate(volume, live) {
    const causes = checkVolume(specOf(volume));
    return live ? [...causes, ...checkVolumeChange(specOf(volume), specOf(live))] : causes;
  },
};

function checkVolume(spec: Fields): Cause[] {
  const causes: Cause[] = [];
  if (!Array.isArray(spec.accessModes) || spec.accessModes.length === 0) causes.push(requiredValue("spec.accessModes"));
  if (!spec.capacity) causes.push(requiredValue("spec.capacity"));
  if (fieldsAt(spec, "capacity").storage === undefined) {
    causes.push(unsupportedValue("spec.capacity", spec.capacity ?? null, ["storage"]));
  }
  const [first, ...more] = Object.keys(sourceOf(spec));
  if (!first) causes.push(requiredValue("spec", "must specify a volume type"));
  return [
    ...causes,
    ...more.map((field) => forbiddenValue(`spec.${field}`, "may not specify more than 1 volume type")),
  ];
}

function checkVolumeChange(next: Fields, live: Fields): Cause[] {
  const causes: Cause[] = [];
  if (!isDeepStrictEqual(sourceOf(next), sourceOf(live))) {
    const field = "spec.persistentvolumesource";
    causes.push(forbiddenValue(field, `${field} is immutable after creation`));
  }
  if (next.volumeMode !== live.volumeMode) {
    causes.push(invalidValue("volumeMode", next.volumeMode ?? null, "field is immutable"));
  }
  if (live.nodeAffinity && !isDeepStrictEqual(next.nodeAffinity, live.nodeAffinity)) {
    const why = "field is immutable, except for updating from beta label to GA";
    causes.push(invalidValue("nodeAffinity", next.nodeAffinity ?? null, why));
  }
  return causes;
}

/** What of a volume's spec says what kind of volume it is: all but the rest. */
function sourceOf(spec: Fields): Fields {
  const {
    accessModes,
    capacity,
    claimRef,
    mountOptions,
    nodeAffinity,
    persistentVolumeReclaimPolicy,
    storageClassName,
    volumeAttributesClassName,
    volumeMode,
    ...source
  } = spec;
  return source;
}

const immutable = (next: KubernetesObject, live: KubernetesObject | undefined, fields: readonly string[]) =>
  fields
    .filter((field) => live && !isDeepStrictEqual(next[field], live[field]))
    .map((field) => invalidValue(field, next[field] ?? null, "field is immutable"));

/** StorageClasses: what they provision cannot change. */
export const storageClassStrategy: Strategy = {
  answersDeleted: true,
  defaults: (object) => setMissing(object, { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" }),
  validate: (object, live) => [
    ...(object.provisioner ? [] : [requiredValue("provisioner")]),
    ...immutable(object, live, ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"]),
  ],
};

/** VolumeAttachments: what is attached where cannot change. */
export const attachmentStrategy: Strategy = {
  answersDeleted: true,
  versionRequired: true,
  prepareCreate(attachment) {
    attachment.status = { attached: false };
  },
  validate: (attachment, live) => immutable(attachment, live, ["spec"]),
};
