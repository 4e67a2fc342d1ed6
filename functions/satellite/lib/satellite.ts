import type { Condition, WantedCondition } from "../../../shared/kubernetes/condition.ts";
import { conditionWrites as writeConditions } from "../../../shared/kubernetes/condition-writes.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import type { KubernetesObject, OwnerReference } from "../../../shared/kubernetes/object.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { LinstorCluster, LinstorSatellite } from "./kinds.ts";
import { externalRoot, hostOf, type LinstorAddresses, mayBeAsked } from "./linstor/controllers.ts";

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

/** Conditions of a LinstorSatellite. piraeus-operator's documentation has the third where its code has the first. */
export const conditions = {
  evacuated: "SatelliteEvacuated",
  deleted: "SatelliteDeleted",
  documented: "EvacuationCompleted",
} as const;

/** Conditions of a LinstorSatellite while it lives, as piraeus-operator has them. */
export const lifeConditions = {
  /** Its DaemonSet is as it should be. */
  applied: "Applied",
  /** LINSTOR is connected with it. */
  available: "Available",
  /** Its properties and storage pools are as its spec says. */
  configured: "Configured",
} as const;

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

/**
 * Where a satellite's own LINSTOR is, as its LinstorCluster says, or else what it was created with; `undefined` where
 * they name none, which is the one at LINSTOR_URL. piraeus-operator goes by the same field.
 */
export function controllerOf(
  { spec }: LinstorSatelliteObject,
  cluster: LinstorClusterObject | undefined,
): string | undefined {
  return (cluster ? cluster.spec?.externalController : spec?.clusterRef?.externalController)?.url;
}

/** Why no LINSTOR can be asked about a satellite, as a sentence; `undefined` where one can. */
export function controllerProblem(
  { spec }: LinstorSatelliteObject,
  cluster: LinstorClusterObject | undefined,
  controller: string | undefined,
  addresses: LinstorAddresses,
): string | undefined {
  const root = controller === undefined ? undefined : externalRoot(controller);
  if (controller === undefined || (root && mayBeAsked(root, addresses))) return undefined;
  const name = cluster?.metadata.name ?? spec?.clusterRef?.name ?? "of the satellite";
  const shown = JSON.stringify(withoutSecrets(controller));
  const because = root
    ? "whose host LINSTOR_HOSTS does not name. If that is the LINSTOR of its satellites, add " +
      `${hostOf(root)} to LINSTOR_HOSTS in the ConfigMap holdfast-satellite; if not, correct the URL.`
    : "which is no address of a LINSTOR. Write an http or https URL of one controller, without a password or a " +
      "query, for example https://linstor.example.com:3371.";
  return (
    `The LinstorCluster ${name} has spec.externalController.url ${shown}, ${because} ` +
    "Nothing is done in LINSTOR for its satellites before."
  );
}

/** What stands before an @ may be a password, which a condition must not show. */
const withoutSecrets = (text: string) => text.replace(/\/\/.*@/, "//…@");

/**
 * Annotation of a LinstorCluster: the moment (RFC 3339) from which on its LinstorSatellites are Holdfast's, because
 * an administrator has switched off what piraeus-operator does with them.
 */
export const handedOverKey = "holdfast.dev/satellites-handed-over";

const operator = "piraeus.io/operator";

/**
 * Why a LinstorSatellite is left alone, as a sentence: piraeus-operator has written it, and no administrator has said
 * that it has ceased to. Two that evacuate one node would call LINSTOR twice, which has lost data. The API server keeps
 * in `managedFields` who has written last and when; the operator applies under one name.
 */
export function foreignLifecycle(
  satellite: KubernetesObject,
  cluster: KubernetesObject | undefined,
): string | undefined {
  const managed = (satellite.metadata.managedFields ?? []) as readonly { manager?: string; time?: string }[];
  const times = managed.filter(({ manager }) => manager === operator).map(({ time }) => Date.parse(time ?? ""));
  if (times.length === 0) return undefined;
  const since = Date.parse(cluster?.metadata.annotations?.[handedOverKey] ?? "");
  // A time that cannot be read may be now.
  if (times.every((time) => time < since)) return undefined;
  const what = Number.isNaN(since) ? "has written this LinstorSatellite" : "still writes this LinstorSatellite";
  return (
    `piraeus-operator ${what}, and two programs must not evacuate one node. Scale it to zero, and set the ` +
    `annotation ${handedOverKey} of the LinstorCluster to the time at which its last pod had stopped.`
  );
}

/**
 * Why a satellite is let go without LINSTOR, as a sentence; `undefined` where LINSTOR is to be asked. A LinstorCluster
 * that is being deleted takes all of its satellites along: no satellite is left to move data to, and no person has
 * asked for all of it to be given up. The Machine counts where it was looked at.
 */
export function abandonedBecause({
  satellite,
  machine,
  cluster,
}: {
  readonly satellite: LinstorSatelliteObject;
  readonly cluster: LinstorClusterObject | undefined;
  readonly machine?: { readonly clusterDeleting: boolean } | undefined;
}): string | undefined {
  if (machine?.clusterDeleting) return "The whole cluster is being deleted, and the data of its satellites with it.";
  const { name } = satellite.spec?.clusterRef ?? {};
  if (!name) return undefined;
  if (!cluster) return `The LinstorCluster ${name} is gone: the satellite is released without a call to LINSTOR.`;
  if (!isBeingDeleted(satellite)) return undefined;
  // One of the same name that has come since did not ask for this deletion: garbage collection did.
  const owner = ownerOf(satellite);
  if (owner?.name === name && owner.uid !== cluster.metadata.uid)
    return `The LinstorCluster ${name} was replaced: the former one's satellite is released without a call to LINSTOR.`;
  return isBeingDeleted(cluster)
    ? `The LinstorCluster ${name} is being deleted: the satellite is released without a call to LINSTOR.`
    : undefined;
}
