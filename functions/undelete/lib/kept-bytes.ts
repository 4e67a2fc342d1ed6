import { quantityValue } from "../../../shared/kubernetes/quantity.ts";
import type { Volume } from "../../../shared/storage/volume.ts";
import { readNote } from "./note.ts";

/**
 * Bytes of a volume that only Holdfast keeps: no claim has it, and Kubernetes would have reclaimed it. They are those
 * that its claim asked for, as a ResourceQuota counts them. 0 of all others, also of a volume whose size is unreadable.
 */
export function keptBytes(volume: Volume): number {
  const note = readNote(volume);
  const isKept = note && note.policy !== "Retain" && !["overruled", "unkept"].includes(note.step);
  if (!isKept || volume.status?.phase === "Bound") return 0;
  return quantityValue(note.asked ?? volume.spec.capacity?.storage ?? 0) || 0;
}
