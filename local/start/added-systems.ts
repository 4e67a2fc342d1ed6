import type { Clock } from "../../shared/clock.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { LinstorFlags } from "./linstor/flags.ts";
import { linstorSecret, reachingLinstor } from "./linstor/installed.ts";
import type { StartOptions } from "./options.ts";
import { reachingSalt, secretOf } from "./salt/installed.ts";
import { logInTo } from "./salt/reach.ts";
import type { SaltFlags } from "./salt/read-flags.ts";
import { sweptEachMinute } from "./swept-often.ts";

/** Systems beside the default, which a run has because it names the external systems that they need. */
export interface AddedSystems {
  /** Components of `knative/`, as paths below it. */
  readonly components: readonly string[];
  /** An object of `knative/` as this run installs it. */
  edit(object: KubernetesObject): KubernetesObject;
  readonly secrets: readonly KubernetesObject[];
  /** What their functions do on the cluster and outside of it, a sentence each. */
  readonly effects: readonly string[];
}

/** @throws UserError where Salt cannot be used as the options say. */
export async function addedSystems({ salt, linstor }: StartOptions, clock: Clock): Promise<AddedSystems> {
  const added = [...(salt ? [await volumesWith(salt, clock)] : []), ...(linstor ? [satellitesWith(linstor)] : [])];
  return {
    components: added.flatMap(({ components }) => components),
    edit: (object) => added.reduce((edited, { edit }) => edit(edited), object),
    secrets: added.flatMap(({ secrets }) => secrets),
    effects: added.flatMap(({ effects }) => effects),
  };
}

async function volumesWith(salt: SaltFlags, clock: Clock): Promise<AddedSystems> {
  // Before anything is touched: a Salt that cannot be used is one sentence.
  const { account } = await logInTo(salt, clock);
  return {
    components: ["access/volume", "volume"],
    // A reactor elsewhere cannot reach this machine: the sweep finds what has ended.
    edit: (object) => sweptEachMinute(reachingSalt(object, account)),
    secrets: [secretOf(account)],
    effects: [
      `for each Volume, the functions of volumes have Salt at ${account.url} make storage on the node that it ` +
        "names, and create a PersistentVolume; when the Volume is deleted, Salt takes the storage back;",
    ],
  };
}

function satellitesWith(linstor: LinstorFlags): AddedSystems {
  const secret = linstorSecret(linstor);
  return {
    components: ["access/satellite", "satellite"],
    edit: (object) => reachingLinstor(object, linstor),
    secrets: secret ? [secret] : [],
    effects: [
      "for each Node that a LinstorCluster selects, the functions of satellites create a LinstorSatellite and " +
        `a DaemonSet, and register the node with LINSTOR at ${linstor.url}; when the Node leaves, they carry ` +
        "out the deletion policy;",
    ],
  };
}
