import { quantityValue } from "../../../shared/kubernetes/quantity.ts";
import { CommandExecutionError } from "../minion/function.ts";

/** What the states need of a Volume, read from its definition in the pillar. */
export interface Volume {
  readonly name: string;
  readonly uid: string;
  readonly mode: "Filesystem" | "Block";
  /** Throws where the StorageClass names no file system; called only when one is made. */
  readonly checkFileSystem: () => void;
  readonly source:
    | { readonly kind: "sparse"; readonly size: number }
    | { readonly kind: "raw"; readonly path: string }
    | { readonly kind: "lvm"; readonly group: string };
}

// biome-ignore lint/suspicious/noExplicitAny: an object that was sent is of every shape.
type Given = any;

/**
 * A Volume object with its StorageClass in `spec.storageClass`.
 *
 * @throws CommandExecutionError in the words of the product's module when it cannot be used on this node.
 */
export function readVolume(volume: Given, node: string): Volume {
  if (!volume?.metadata?.name || !volume.spec)
    throw new CommandExecutionError("a Volume object with metadata and spec is expected");
  const { metadata, spec } = volume;
  const { name } = metadata;
  if (spec.nodeName !== node)
    throw new CommandExecutionError(`volume ${name} belongs to node ${spec.nodeName}, not to ${node}`);
  const kinds = ["sparseLoopDevice", "rawBlockDevice", "lvmLogicalVolume"].filter((kind) => spec[kind]);
  if (kinds.length !== 1)
    throw new CommandExecutionError(
      `volume ${name} must have exactly one of sparseLoopDevice, rawBlockDevice, lvmLogicalVolume, ` +
        `and has ${kinds.length}`,
    );
  return {
    name,
    uid: String(metadata.uid).toLowerCase(),
    mode: spec.mode ?? "Filesystem",
    checkFileSystem: () => checkFileSystem(name, spec),
    source: sourceOf(spec),
  };
}

function sourceOf({ sparseLoopDevice: sparse, rawBlockDevice: raw, lvmLogicalVolume: lvm }: Given): Volume["source"] {
  if (raw) return { kind: "raw", path: String(raw.devicePath) };
  if (sparse) return { kind: "sparse", size: sizeInBytes(sparse.size) };
  return { kind: "lvm", group: String(lvm.vgName) };
}

function checkFileSystem(name: string, { storageClass, storageClassName }: Given): void {
  if (typeof storageClass !== "object" || storageClass === null)
    throw new CommandExecutionError(`StorageClass ${storageClassName} of volume ${name} not found`);
  const fsType = storageClass.parameters?.fsType;
  if (fsType === "ext4" || fsType === "xfs") return;
  throw new CommandExecutionError(
    `unsupported filesystem: ${fsType}. StorageClass ${storageClassName} must have the parameter fsType ext4 or xfs`,
  );
}

/** A quantity in bytes, rounded up to whole sectors. */
export function sizeInBytes(quantity: unknown): number {
  if (!/^\d+(\.\d+)?([kMGTP]|[KMGTP]i)?$/.test(String(quantity)))
    throw new CommandExecutionError(
      `the size '${quantity}' is not understood: write bytes, or a number with k, M, G, T, P, Ki, Mi, Gi, Ti or Pi`,
    );
  const sectors = Math.ceil(quantityValue(quantity) / sector);
  if (sectors === 0) throw new CommandExecutionError(`the size '${quantity}' must be greater than 0`);
  return sectors * sector;
}

const sector = 512;
