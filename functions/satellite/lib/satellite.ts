import type { Condition, WantedCondition } from "../../../shared/kubernetes/condition.ts";
import { conditionWrites as writeConditions } from "../../../shared/kubernetes/condition-writes.ts";
import type { KubernetesObject, OwnerReference } from "../../../shared/kubernetes/object.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { LinstorCluster, LinstorSatellite } from "./kinds.ts";

/** The finalizer of LinstorSatellites, as piraeus-operator has it. */
export const satelliteFinalizer = "piraeus.io/satellite-protection";

/** What happens to a satellite's data when the satellite is deleted. Nothing set, or an empty string, is Retain. */
export const deletionPolicies = ["Evacuate", "Retain", "Delete"] as const;
export type DeletionPolicy = (typeof deletionPolicies)[number];

/** A LinstorSatellite as far as its lifecycle goes; `schema/` has all of it. */
export interface LinstorSatelliteObject extends KubernetesObject {
  spec?:
    | {
        clusterRef?: { name?: string | undefined; externalController?: { url: string } | undefined } | undefined;
        deletionPolicy?: string | undefined;
        evacuationStrategy?: { attachedVolumeReattachTimeout?: string | undefined } | undefined;
      }
    | undefined;
  status?: { conditions?: readonly Condition[] | undefined } | undefined;
}

/** A LinstorCluster, likewise. */
export interface LinstorClusterObject extends KubernetesObject {
  spec?:
    | {
        externalController?: { url: string } | undefined;
        maxConcurrentEvacuations?: number | undefined;
      }
    | undefined;
}

/** A satellite's policy, as it stands in its spec. */
export function policyOf(spec: { readonly deletionPolicy?: string | undefined } | undefined): DeletionPolicy {
  const policy = spec?.deletionPolicy;
  // What is not known here, from a newer operator perhaps, keeps the data.
  return policy === "Evacuate" || policy === "Delete" ? policy : "Retain";
}

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
