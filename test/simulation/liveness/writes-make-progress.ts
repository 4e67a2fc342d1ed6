import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Change } from "../../harness/simulated/change.ts";
import { type Invariant, isOurs } from "../invariants/invariant.ts";

/**
 * So often our writes may bring an object back into one state within a minute, while nothing else changes: each try of
 * a broker (six in sixteen seconds) may write its intent again where the API server refuses what comes after it.
 */
const mostVisits = 8;
const withinMs = 60_000;

/**
 * Writes of ours lead somewhere: rules that undo each other's writes, each triggered by the other's, bring an object
 * into the same states again and again. Times and job ids do not tell states apart; attempts that are counted do.
 */
export const writesMakeProgress: Invariant = {
  name: "writes-make-progress",
  check(change, { changes }) {
    if (!isOurs(change) || !change.after || change.object.kind === "Event") return undefined;
    const state = stateOf(change.after);
    let visits = 0;
    for (const earlier of changes.toReversed()) {
      if (earlier.at < change.at - withinMs || isForeign(earlier)) break;
      const isIt = earlier.object.metadata.uid === change.object.metadata.uid;
      if (isIt && earlier.after && stateOf(earlier.after) === state) visits++;
    }
    return visits > mostVisits
      ? `${change.object.kind} ${change.object.metadata.name} was written into the same state ${visits} times within ` +
          "a minute, while nothing else changed."
      : undefined;
  },
};

const isForeign = (change: Change) => !isOurs(change) && change.object.kind !== "Event";

function stateOf({ metadata, ...rest }: KubernetesObject): string {
  const { resourceVersion: _, managedFields: __, generation: ___, ...kept } = metadata;
  return JSON.stringify({ ...rest, metadata: kept })
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "time")
    .replaceAll(/\b\d{13,20}\b/g, "id");
}
