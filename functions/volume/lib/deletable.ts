import type { Phase } from "./volume.ts";

/** Phases of a PersistentVolume that no claim holds. */
const unheld: readonly (string | undefined)[] = ["Available", "Released", "Failed"];

/**
 * The document's decision tree: whether deleting the Volume leads to its end at once, so that a page may offer it. The
 * API takes every deletion. `persistentVolume`: the phase of the Volume's PersistentVolume; `undefined`
 * when it has none.
 */
export function isDeletable(phase: Phase, persistentVolume: string | undefined): boolean {
  if (phase !== "Failed" && phase !== "Available") return false;
  return persistentVolume === undefined || unheld.includes(persistentVolume);
}
