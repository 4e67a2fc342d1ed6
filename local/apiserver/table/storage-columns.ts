import type { Fields } from "../../../shared/kubernetes/fields.ts";
import { fieldsAt, specOf, statusOf } from "../kinds/fields.ts";
import { ageOf } from "./age.ts";
import { column, nameColumn, type Printer, text, wide } from "./printer.ts";

/** PersistentVolumeClaims: one that is being deleted shows as Terminating whatever its phase. */
export const claimPrinter: Printer = {
  columns: [
    nameColumn,
    column("Status"),
    column("Volume"),
    column("Capacity"),
    column("Access Modes"),
    column("StorageClass"),
    column("VolumeAttributesClass"),
    column("Age"),
    wide("VolumeMode"),
  ],
  cells(claim, now) {
    const [spec, status, metadata] = [specOf(claim), statusOf(claim), fieldsAt(claim, "metadata")];
    const volume = text(spec.volumeName);
    return [
      metadata.name,
      phaseOf(claim),
      volume,
      volume ? text(fieldsAt(status, "capacity").storage ?? "0") : "",
      volume ? accessModes(status.accessModes) : "",
      storageClass(claim),
      unlessUnset(spec.volumeAttributesClassName),
      ageOf(metadata.creationTimestamp, now),
      unlessUnset(spec.volumeMode),
    ];
  },
};

/** PersistentVolumes. */
export const volumePrinter: Printer = {
  columns: [
    nameColumn,
    column("Capacity"),
    column("Access Modes"),
    column("Reclaim Policy"),
    column("Status"),
    column("Claim"),
    column("StorageClass"),
    column("VolumeAttributesClass"),
    column("Reason"),
    column("Age"),
    wide("VolumeMode"),
  ],
  cells(volume, now) {
    const [spec, metadata] = [specOf(volume), fieldsAt(volume, "metadata")];
    const { namespace, name } = fieldsAt(spec, "claimRef");
    return [
      metadata.name,
      text(fieldsAt(spec, "capacity").storage ?? "0"),
      accessModes(spec.accessModes),
      text(spec.persistentVolumeReclaimPolicy),
      phaseOf(volume),
      spec.claimRef ? `${text(namespace)}/${text(name)}` : "",
      storageClass(volume),
      unlessUnset(spec.volumeAttributesClassName),
      text(statusOf(volume).reason),
      ageOf(metadata.creationTimestamp, now),
      unlessUnset(spec.volumeMode),
    ];
  },
};

const phaseOf = (object: Fields) =>
  fieldsAt(object, "metadata").deletionTimestamp ? "Terminating" : text(statusOf(object).phase);

const storageClass = (object: Fields) =>
  text(
    fieldsAt(object, "metadata", "annotations")["volume.beta.kubernetes.io/storage-class"] ??
      specOf(object).storageClassName,
  );

const unlessUnset = (value: unknown) => (value === undefined || value === null ? "<unset>" : String(value));

const modes: readonly [string, string][] = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
];

function accessModes(list: unknown): string {
  const set = new Set(Array.isArray(list) ? list : []);
  return modes
    .filter(([mode]) => set.has(mode))
    .map(([, short]) => short)
    .join(",");
}

/** StorageClasses: the default one says so behind its name. */
export const storageClassPrinter: Printer = {
  columns: [
    nameColumn,
    column("Provisioner"),
    column("ReclaimPolicy"),
    column("VolumeBindingMode"),
    column("AllowVolumeExpansion"),
    column("Age"),
  ],
  cells(storageClass, now) {
    const metadata = fieldsAt(storageClass, "metadata");
    const annotations = fieldsAt(metadata, "annotations");
    const isDefault = ["storageclass.kubernetes.io", "storageclass.beta.kubernetes.io"].some(
      (domain) => annotations[`${domain}/is-default-class`] === "true",
    );
    return [
      `${text(metadata.name)}${isDefault ? " (default)" : ""}`,
      text(storageClass.provisioner),
      text(storageClass.reclaimPolicy ?? "Delete"),
      text(storageClass.volumeBindingMode ?? "Immediate"),
      storageClass.allowVolumeExpansion === true,
      ageOf(metadata.creationTimestamp, now),
    ];
  },
};

/** VolumeAttachments. */
export const attachmentPrinter: Printer = {
  columns: [
    nameColumn,
    { ...column("Attacher"), format: "name" },
    column("PV"),
    column("Node"),
    column("Attached", "boolean"),
    column("Age"),
  ],
  cells(attachment, now) {
    const [spec, metadata] = [specOf(attachment), fieldsAt(attachment, "metadata")];
    return [
      metadata.name,
      text(spec.attacher),
      text(fieldsAt(spec, "source").persistentVolumeName),
      text(spec.nodeName),
      statusOf(attachment).attached === true,
      ageOf(metadata.creationTimestamp, now),
    ];
  },
};
