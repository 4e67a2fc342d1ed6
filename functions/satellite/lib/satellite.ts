import type { z } from "zod";
import type { WantedCondition } from "../../../shared/kubernetes/condition.ts";
import { conditionWrites as writeConditions } from "../../../shared/kubernetes/condition-writes.ts";
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

/** The same in CEL. */
export const ofCluster = (object: "object" | "oldObject"): string =>
  `${object}.metadata.?ownerReferences.orValue([]).exists(e, e.kind == "${LinstorCluster.kind}" && ` +
  "e.?controller.orValue(false))";

/** The guarded patch that brings conditions there; none where they say so already. `now` is in milliseconds. */
export const conditionWrites = (
  satellite: LinstorSatelliteObject,
  wanted: readonly WantedCondition[],
  now: number,
): readonly Write[] => writeConditions(LinstorSatellite, satellite, wanted, now);

/**
 * Whether a LinstorSatellite that an event shows says of itself that a condition is True of the spec that it has. Most
 * events of satellites are our own writes; a rule that has brought its condition there has nothing to do about them.
 * What changes elsewhere has events of its own, or is found by the sweep, which shows no object.
 */
export function isSettled({ metadata, status }: LinstorSatelliteObject, type: string): boolean {
  const condition = status?.conditions?.find((one) => one.type === type);
  return condition?.status === "True" && condition.observedGeneration === metadata.generation;
}
