import type { Hint } from "../../../shared/event/hint.ts";
import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import type { Subject } from "../../../shared/subject.ts";
import { satelliteNamed } from "./subjects.ts";
import { marksFor, nodeNameProblem } from "./volumes.ts";

const prefixes = Object.values(marksFor(""));

/**
 * DRBD connects at most 32 Nodes for a volume: only a forged event has marks for more than these and some former ones.
 */
const mostMarked = 100;

/** Satellites of the Nodes that a volume carries marks for. */
export function markedIn({ kind, object }: Hint): readonly Subject[] {
  if (kind !== PersistentVolume.kind || !object) return [];
  const keys = Object.keys(object.metadata.annotations ?? {});
  const nodes = prefixes.flatMap((prefix) =>
    keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length)),
  );
  const possible = nodes.filter((node) => nodeNameProblem(node) === undefined);
  return [...new Set(possible)].slice(0, mostMarked).map(satelliteNamed);
}
