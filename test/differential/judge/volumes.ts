import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Change } from "../../harness/simulated/change.ts";
import type { World } from "../play/play.ts";

/** What a namespace says that wants the volumes of its claims kept for longer than any sequence is. */
export const keepsVolumes = { metadata: { annotations: { "holdfast.dev/keep-volume-for": "30d" } } };

interface VolumeObject extends KubernetesObject {
  readonly spec: { readonly claimRef?: { readonly namespace: string; readonly name: string; readonly uid?: string } };
  readonly status?: { readonly phase?: string };
}

/**
 * The law for volumes: one that a claim of ours has had for long enough to be seen is there in the end, also if the
 * claim is not. From what was observed of volumes and claims alone.
 */
export function judgeVolumes({ volumes, keptAfter, ours }: Pick<World, "volumes" | "keptAfter" | "ours">) {
  const lost: string[] = [];
  let outlived = 0;
  if (keptAfter === undefined) return { lost, outlived };
  for (const [uid, changes] of Map.groupBy(volumes, ({ object }) => object.metadata.uid)) {
    const bound = changes.filter(({ after }) => isBoundIn(after, ours.namespace));
    const seen = bound.find(
      ({ at, after }) =>
        isNamed(ours.changes, after as VolumeObject) &&
        goneAt(ours.changes, (after as VolumeObject).spec.claimRef?.uid) - at >= keptAfter,
    );
    if (!seen) continue;
    const last = changes.at(-1);
    const { name } = seen.object.metadata;
    if (!last?.after || last.after.metadata.deletionTimestamp)
      lost.push(
        `Volume ${name} (${uid}) of claim ${(seen.object as VolumeObject).spec.claimRef?.name} was to be kept, ` +
          "and is lost.",
      );
    else if (goneAt(ours.changes, (seen.after as VolumeObject).spec.claimRef?.uid) < Number.POSITIVE_INFINITY)
      outlived++;
  }
  return { lost, outlived };
}

const isBoundIn = (volume: KubernetesObject | undefined, namespace: string): boolean => {
  const { spec, status } = (volume ?? {}) as Partial<VolumeObject>;
  return status?.phase === "Bound" && spec?.claimRef?.namespace === namespace;
};

/**
 * Whether the claim has the volume. One that was provisioned while the claim was bound to another one, which undelete
 * had offered, never had data: Kubernetes deletes it.
 */
const isNamed = (changes: readonly Change[], { metadata, spec }: VolumeObject): boolean =>
  changes.some(
    ({ object, after }) =>
      object.metadata.uid === spec.claimRef?.uid &&
      (after as { spec?: { volumeName?: string } } | undefined)?.spec?.volumeName === metadata.name,
  );

/** When a claim was deleted; never, where it is there. */
const goneAt = (changes: readonly Change[], uid: string | undefined): number =>
  changes.find(({ object, after }) => object.metadata.uid === uid && (!after || after.metadata.deletionTimestamp))
    ?.at ?? Number.POSITIVE_INFINITY;
