import type { Client } from "../../../shared/kubernetes/client.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Node } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { LinstorCluster, LinstorSatellite } from "./kinds.ts";
import type { LinstorAddresses } from "./linstor/controllers.ts";
import { identityOf, lookAtMachine, type MachineIdentity, type MachineSeen, readIdentity } from "./machine.ts";
import { type EvacuationRecord, readRecord } from "./record.ts";
import {
  controllerOf,
  controllerProblem,
  type DeletionPolicy,
  foreignLifecycle,
  type LinstorClusterObject,
  type LinstorSatelliteObject,
  policyOf,
} from "./satellite.ts";

/** A satellite with what this cluster says of it, read live. */
export interface SatelliteSnapshot<
  Satellite extends LinstorSatelliteObject = LinstorSatelliteObject,
  Cluster extends LinstorClusterObject = LinstorClusterObject,
> {
  readonly satellite: Satellite;
  readonly policy: DeletionPolicy;
  readonly cluster: Cluster | undefined;
  /**
   * The address of its own LINSTOR as its LinstorCluster names it, with which that is asked and called; `undefined` is
   * LINSTOR_URL.
   */
  readonly controller: string | undefined;
  /** Why that may not be asked, as a sentence: it is no address, or none that LINSTOR_HOSTS names. */
  readonly unaddressed: string | undefined;
  readonly node: KubernetesObject | undefined;
  /** What the Node says, or what was written down while there was one. */
  readonly identity: MachineIdentity | undefined;
  readonly record: EvacuationRecord | undefined;
  /** Why it is left alone, as a sentence. */
  readonly unmanagedReason: string | undefined;
}

/** The same with its Machine, which may be on another cluster. */
export interface SatelliteOnMachine extends SatelliteSnapshot, OnMachine {}

interface OnMachine {
  readonly machine: MachineSeen | undefined;
  /** It is evacuated: it or its Machine is being deleted under the policy Evacuate. */
  readonly leaving: boolean;
}

/**
 * A satellite without what Cluster API and LINSTOR say; `undefined` when it is gone.
 *
 * @throws ApiError
 */
export async function lookAtSatellite<
  Satellite extends LinstorSatelliteObject = LinstorSatelliteObject,
  Cluster extends LinstorClusterObject = LinstorClusterObject,
>(
  client: Client,
  name: string,
  addresses: LinstorAddresses,
): Promise<SatelliteSnapshot<Satellite, Cluster> | undefined> {
  const satellite = await client.get<Satellite>(LinstorSatellite, undefined, name);
  if (!satellite) return undefined;
  const clusterName = satellite.spec?.clusterRef?.name;
  const [node, cluster] = await Promise.all([
    client.get(Node, undefined, name),
    clusterName ? client.get<Cluster>(LinstorCluster, undefined, clusterName) : undefined,
  ]);
  const controller = controllerOf(satellite, cluster);
  return {
    satellite,
    policy: policyOf(satellite.spec),
    cluster,
    controller,
    unaddressed: controllerProblem(satellite, cluster, controller, addresses),
    node,
    identity: (node && identityOf(node)) ?? readIdentity(satellite),
    record: readRecord(satellite),
    unmanagedReason: foreignLifecycle(satellite, cluster),
  };
}

/** @throws ApiError; SystemError when Cluster API cannot be asked */
export async function withMachine<Seen extends SatelliteSnapshot>(
  client: Client,
  seen: Seen,
): Promise<Seen & OnMachine> {
  const { satellite, policy, identity } = seen;
  const machine = identity && (await lookAtMachine(client, satellite, identity));
  const machineLeaves = machine !== undefined && isBeingDeleted(machine.object);
  return { ...seen, machine, leaving: policy === "Evacuate" && (isBeingDeleted(satellite) || machineLeaves) };
}
