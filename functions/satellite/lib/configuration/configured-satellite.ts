import type { z } from "zod";
import type { Client } from "../../../../shared/kubernetes/client.ts";
import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import type { LinstorAddresses } from "../linstor/controllers.ts";
import { lookAtSatellite, type SatelliteSnapshot } from "../look-at-satellite.ts";
import type { linstorCluster, linstorSatellite } from "../schema/resources.ts";

/** A LinstorSatellite with all that its spec says. */
export type ConfiguredSatellite = KubernetesObject & z.input<typeof linstorSatellite>;
/** A LinstorCluster, likewise. */
export type ConfiguredCluster = KubernetesObject & z.input<typeof linstorCluster>;
export type ConfiguredSeen = SatelliteSnapshot<ConfiguredSatellite, ConfiguredCluster>;

/** `lookAtSatellite` with these types. */
export const lookAtConfigured = (
  client: Client,
  name: string,
  addresses: LinstorAddresses,
): Promise<ConfiguredSeen | undefined> => lookAtSatellite(client, name, addresses);
