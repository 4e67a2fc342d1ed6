import { quantityValue } from "../../../shared/kubernetes/quantity.ts";
import type { Volume } from "../../../shared/storage/volume.ts";
import { readNote } from "./note.ts";

/**
 * Bytes of a volume that only Holdfast keeps: no claim has it, and Kubernetes would have reclaimed it. 0 of all others,
 * also of a volume whose size cannot be read.
 */
export function keptBytes(volume: Volume): number {
  const note = readNote(volume);
  const isKept = note && note.policy !== "Retain" && !["overruled", "unkept"].includes(note.step);
  if (!isKept || volume.status?.phase === "Bound") return 0;
  return quantityValue(volume.spec.capacity?.storage ?? 0) || 0;
}
