import { externalRoot } from "./linstor/address.ts";
import type { LinstorClusterObject, LinstorSatelliteObject } from "./satellite.ts";

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
): string | undefined {
  if (controller === undefined || externalRoot(controller)) return undefined;
  const name = cluster?.metadata.name ?? spec?.clusterRef?.name ?? "of the satellite";
  const shown = JSON.stringify(withoutSecrets(controller));
  return (
    `The LinstorCluster ${name} has spec.externalController.url ${shown}, which is ` +
    "no address of a LINSTOR. Write an http or https URL of one controller, without a password or a query, for " +
    "example https://linstor.example.com:3371. Nothing is done in LINSTOR for its satellites before."
  );
}

/** What stands before an @ may be a password, which a condition must not show. */
const withoutSecrets = (text: string) => text.replace(/\/\/.*@/, "//…@");
