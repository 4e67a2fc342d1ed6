import type { z } from "zod";
import { type Condition, setCondition } from "../../../shared/kubernetes/condition.ts";
import type { KubernetesObject, OwnerReference } from "../../../shared/kubernetes/object.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { LinstorCluster, LinstorSatellite } from "./kinds.ts";
import type { linstorCluster, linstorSatellite } from "./schema/resources.ts";

/** The finalizer of LinstorSatellites, as piraeus-operator has it. */
export const satelliteFinalizer = "piraeus.io/satellite-protection";

export type LinstorSatelliteObject = KubernetesObject & z.input<typeof linstorSatellite>;
export type LinstorClusterObject = KubernetesObject & z.input<typeof linstorCluster>;

/** The reference by which a satellite is a LinstorCluster's. */
export const ownerOf = ({ metadata }: LinstorSatelliteObject): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller, kind }) => controller && kind === LinstorCluster.kind);

/** A condition as it should be. */
interface Wanted {
  readonly type: string;
  readonly status: Condition["status"];
  readonly reason: string;
  readonly message: string;
}

/**
 * The guarded patch that brings conditions there; none where they say so already. `now` is in milliseconds since the
 * epoch.
 */
export function conditionWrites(
  satellite: LinstorSatelliteObject,
  wanted: readonly Wanted[],
  now: number,
): readonly Write[] {
  const { name, uid, resourceVersion, generation } = satellite.metadata;
  const before = (satellite.status?.conditions ?? []) as readonly Condition[];
  const after = wanted.reduce((conditions, one) => setCondition(conditions, one, now), before);
  const types = new Set(wanted.map(({ type }) => type));
  // What is still true of a later generation has to say so: others wait for it.
  const isCurrent = after.every((one) => !types.has(one.type) || one.observedGeneration === generation);
  if (after === before && isCurrent) return [];
  const conditions = after.map((one) =>
    types.has(one.type) && generation !== undefined ? { ...one, observedGeneration: generation } : one,
  );
  const patch = { metadata: { uid, resourceVersion }, status: { conditions } };
  const options = { subresource: "status" };
  return [{ verb: "patch", kind: LinstorSatellite, namespace: undefined, name, type: "merge", patch, options }];
}

/**
 * Whether a LinstorSatellite that an event shows says of itself that a condition is True of the spec that it has. Most
 * events of satellites are our own writes; a rule that has brought its condition there has nothing to do about them.
 * What changes elsewhere has events of its own, or is found by the sweep, which shows no object.
 */
export function isSettled({ metadata, status }: LinstorSatelliteObject, type: string): boolean {
  const condition = status?.conditions?.find((one) => one.type === type);
  return condition?.status === "True" && condition.observedGeneration === metadata.generation;
}
