import type { Volume } from "../../../shared/storage/volume.ts";
import { type Note, readNote, reclaimTime } from "./note.ts";

/** A volume that is kept after its claim, or offered to a new claim of the name. */
export interface KeptVolume {
  readonly volume: Volume;
  readonly note: Note;
  /** Milliseconds since the epoch when it is reclaimed: Infinity without a time, NaN where it cannot be read. */
  readonly due: number;
}

/** What is kept among volumes, the one that falls due first coming first. Those that a claim has are not among them. */
export function keptVolumes(volumes: readonly Volume[]): readonly KeptVolume[] {
  const kept = volumes.flatMap((volume): KeptVolume[] => {
    const note = readNote(volume);
    const isKept = note && ["kept", "asks", "offered"].includes(note.step) && volume.status?.phase !== "Bound";
    return isKept ? [{ volume, note, due: reclaimTime(volume) }] : [];
  });
  return kept.toSorted(
    (a, b) => order(a.due) - order(b.due) || a.volume.metadata.name.localeCompare(b.volume.metadata.name),
  );
}

/** Infinity minus Infinity is no order. */
const order = (due: number) => (Number.isFinite(due) ? due : Number.MAX_VALUE);

/** Where a kept volume stands, and what happens next, in whole sentences. `now` is in milliseconds since the epoch. */
export function describeKept({ volume, note, due }: KeptVolume, now: number): string {
  const { namespace, name } = note.claim;
  const end = note.policy === "Retain" ? "stays Released" : `is reclaimed (${note.policy})`;
  const at = () => `at ${new Date(due).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const until = Number.isNaN(due)
    ? "It stays until its time can be read"
    : !Number.isFinite(due)
      ? "It has no time, and stays until a person sets one"
      : due <= now && note.warning === "ReclaimPostponed"
        ? `It was due ${at()}, and stays while claim ${namespace}/${name} has no volume`
        : `It ${end} ${at()}`;
  // Without its note, the namespace that it was of is not known.
  const isLost = note.namespaceUid === "";
  const why = isLost ? "its note was overwritten" : `namespace ${namespace} is gone or is another one`;
  const standing = {
    offered: `is offered to a new claim ${namespace}/${name}`,
    asks: `is not offered until an administrator allows it, because ${why}`,
    kept: `is kept for claim ${namespace}/${name}, and not offered`,
  }[note.step as "offered" | "asks" | "kept"];
  return `Volume ${volume.metadata.name} ${standing}. ${until}.`;
}
