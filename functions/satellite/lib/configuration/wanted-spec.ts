import { LinstorCluster } from "../kinds.ts";
import type { SatelliteConfig } from "../schema/satellite-spec.ts";
import type { ConfiguredCluster } from "./configured-satellite.ts";
import type { Merged } from "./merge.ts";

/** Annotation of a LinstorSatellite: names of the configurations that it was merged of, in their order. */
export const appliedKey = "piraeus.io/applied-configurations";

const merged = [
  "properties",
  "storagePools",
  "patches",
  "internalTLS",
  "ipFamilies",
  "evacuationStrategy",
  "deletionPolicy",
] as const satisfies readonly (keyof SatelliteConfig)[];

/** The fields of a LinstorSatellite's spec that are Holdfast's; others stay as they are. */
export const ownFields: readonly string[] = [...merged, "clusterRef", "repository"];

/** What a LinstorSatellite's spec should be: what the configurations say, and which LINSTOR it belongs to. */
export function wantedSpec(cluster: ConfiguredCluster, { spec }: Merged): Readonly<Record<string, unknown>> {
  const { apiTLS, externalController, repository } = cluster.spec ?? {};
  const clusterRef = {
    name: cluster.metadata.name,
    ...(apiTLS?.clientSecretName ? { clientSecretName: apiTLS.clientSecretName } : {}),
    ...(apiTLS?.caReference ? { caReference: apiTLS.caReference } : {}),
    ...(externalController ? { externalController } : {}),
  };
  return { clusterRef, ...(repository ? { repository } : {}), ...spec };
}

/** The reference by which a LinstorSatellite is a LinstorCluster's. */
export function ownerReferenceTo({ metadata: { name, uid } }: ConfiguredCluster): object {
  const { apiVersion, kind } = LinstorCluster;
  // A blocking one would need rights on the LinstorCluster's finalizers where these are enforced, as OpenShift does.
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: false };
}
