import { expect } from "vitest";
import { PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Cluster } from "../../harness/cluster.ts";
import { recordWatch, type WatchLine } from "../../harness/recorded-watch.ts";
import { historyOf } from "../../harness/watch-history.ts";
import { inTree, ours } from "./helpers.ts";

interface LivePod extends KubernetesObject {
  spec: { nodeName?: string; volumes?: { persistentVolumeClaim?: { claimName: string } }[] };
  status?: { phase?: string; containerStatuses?: { state?: { terminated?: object } }[] };
}

/** A history of everything that happened to the claims and pods of a cluster, and what must hold in all of it. */
export interface Invariants {
  /** Fails with what was violated. */
  check(): Promise<void>;
}

/** Begins to write the history. Definitions here are their own, apart from those of the rules. */
export function watchInvariants(cluster: Cluster): Invariants {
  const watches = [PersistentVolumeClaim, Pod].map((kind) => recordWatch(cluster, kind, {}));
  return {
    async check() {
      const history = await historyOf(cluster, watches);
      for (const watch of watches) watch.stop();
      expect(violations(cluster, history)).toEqual([]);
    },
  };
}

function violations(cluster: Cluster, history: readonly WatchLine[]): string[] {
  const live = new Map<string, KubernetesObject>();
  const found: string[] = [];
  for (const { type, object } of history) {
    const key = `${object.kind} ${object.metadata.name}`;
    const before = live.get(key);
    if (type === "DELETED") live.delete(key);
    else live.set(key, object);
    if (object.kind !== "PersistentVolumeClaim" || before?.metadata.uid !== object.metadata.uid) continue;

    const had = before.metadata.finalizers ?? [];
    const has = type === "DELETED" ? [] : (object.metadata.finalizers ?? []);
    const name = object.metadata.name;
    if (object.metadata.deletionTimestamp && had.includes(ours(cluster)) && !has.includes(ours(cluster))) {
      const users = [...live.values()]
        .filter((pod) => uses(pod as LivePod, name, cluster))
        .map((pod) => pod.metadata.name);
      if (users.length > 0) found.push(`Claim ${name} was let go under ${users.join(", ")}.`);
      const other = ours(cluster) === inTree ? [] : had.filter((finalizer) => finalizer === inTree);
      if (other.length > 0) found.push(`Claim ${name} was let go before ${inTree} was gone.`);
    }
    if (type === "DELETED" && !object.metadata.deletionTimestamp) found.push(`Claim ${name} went without a deletion.`);
  }
  return found;
}

/** Whether a kubelet has started the pod with the claim and may not have stopped it. */
function uses({ kind, metadata, spec, status }: LivePod, claim: string, { setting }: Cluster): boolean {
  if (kind !== "Pod" || !spec.nodeName || (status?.phase ?? "Pending") === "Pending") return false;
  if (!spec.volumes?.some((volume) => volume.persistentVolumeClaim?.claimName === claim)) return false;
  if (setting.environment["pvc-protection-release"]?.MODE !== "document") return true;
  const stopped = status?.containerStatuses?.every(({ state }) => state?.terminated) ?? false;
  const ended = status?.phase === "Succeeded" || status?.phase === "Failed";
  return !ended && !(metadata.deletionTimestamp && stopped);
}
