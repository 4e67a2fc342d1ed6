import type { Kind } from "../../shared/kubernetes/kind.ts";

/**
 * The families of events, each with its sources and its broker. On a channel-based broker every Trigger costs one HTTP
 * request for every event of its broker, whether its filter matches or not: kinds that change often are kept apart from
 * the others.
 */
const families: Readonly<Record<string, readonly string[]>> = {
  // A namespace changes seldom, and what it says is about its workloads.
  workloads: ["Pod", "StatefulSet", "Namespace"],
  storage: ["PersistentVolumeClaim", "PersistentVolume", "VolumeAttachment", "Volume"],
  nodes: ["Node", "Machine"],
};

/** The family of a kind, which is also the name of its broker. */
export function familyOf({ kind }: Kind): string {
  const family = Object.entries(families).find(([, kinds]) => kinds.includes(kind))?.[0];
  if (!family) throw new Error(`No family of events has the kind ${kind}: add it to build/manifests/families.ts.`);
  return family;
}
