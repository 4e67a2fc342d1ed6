import { LinstorSatellite } from "../../functions/satellite/lib/kinds.ts";
import { candidateOf } from "../../functions/satellite/lib/matching/candidate.ts";
import { type Placement, satelliteWanted } from "../../functions/satellite/lib/matching/satellite-wanted.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Action } from "../parts/act.tsx";

/**
 * Ends the evacuation of a satellite that is being deleted, by the policy Retain. `node` and `placement`: its Node, and
 * where its LinstorCluster wants satellites; while that one wants it there, `satellite/configure` sets the policy.
 * `isPolicyKnown`: both are read.
 */
export function undo(
  { metadata: { name, uid } }: KubernetesObject,
  node: KubernetesObject | undefined,
  placement: Placement,
  isPolicyKnown: boolean,
): Action {
  const isConfigured = node !== undefined && satelliteWanted(candidateOf(node), placement, "has one").wanted;
  return {
    label: "Retain the data",
    does:
      `This sets the policy of LinstorSatellite ${name} to Retain. The satellite goes, and its node and its data ` +
      "stay in LINSTOR. When the Node has a satellite again, it uses this data, and Holdfast undoes the evacuation " +
      "in LINSTOR. Copies that LINSTOR is making are still made, and their sources go. A Machine that waits " +
      "is not shut down until each volume has an UpToDate copy on another node.",
    command: `kubectl patch linstorsatellite ${name} --type merge -p '{"spec":{"deletionPolicy":"Retain"}}'`,
    write: {
      verb: "patch",
      kind: LinstorSatellite,
      name,
      uid,
      patch: { spec: { deletionPolicy: "Retain" } },
    },
    refused: !isPolicyKnown
      ? "Nodes or LinstorClusters could not be read: it is not known whether a configuration sets the policy."
      : isConfigured
        ? `LinstorSatelliteConfigurations set the policy while Node ${name} matches. Change it there.`
        : undefined,
  };
}
