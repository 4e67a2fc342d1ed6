import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";

/**
 * Annotation of a LinstorCluster: the moment (RFC 3339) from which on its LinstorSatellites are Holdfast's, because
 * somebody has switched off what piraeus-operator does with them.
 */
export const handedOverKey = "holdfast.dev/satellites-handed-over";

const operator = "piraeus.io/operator";

/**
 * Why a LinstorSatellite is left alone, as a sentence: piraeus-operator has written it, and nobody has said that it has
 * ceased to. Two that evacuate one node would call LINSTOR twice, which has lost data. The API server keeps in
 * `managedFields` who has written last and when; the operator applies under one name.
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
    `piraeus-operator ${what}, and two must not evacuate one node: scale its Deployment to zero, and set the ` +
    `annotation ${handedOverKey} of the LinstorCluster to the time at which its last pod had stopped.`
  );
}
