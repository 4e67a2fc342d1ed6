import { z } from "zod";
import { wholeNumber } from "../../../shared/whole-number.ts";

const second = 1000;
const minute = 60 * second;
/** Where the Secret with the management cluster's kubeconfig is mounted. */
const managementFolder = "/etc/holdfast/cluster-api";
const managementSecret = "holdfast-cluster-api";

/** What all functions of the system are set by: in the ConfigMap `holdfast-satellite`. */
export const common = z.object({
  satelliteWait: wholeNumber(0)
    .default(30 * minute)
    .describe(
      "Milliseconds that an evacuation waits for other satellites that are not ready; then it goes on with a " +
        "warning. 0: as long as it takes.",
    ),
  satelliteNamespace: z
    .string()
    .min(1)
    .default("piraeus-datastore")
    .describe("Namespace of the satellites' DaemonSets and pods, as piraeus-operator has it."),
  clusterApiKubeconfig: z
    .string()
    .default("")
    .describe(
      "Path of the kubeconfig by which Cluster API's management cluster is reached, where Machines lie on another " +
        `cluster: a file of the Secret ${managementSecret}, as ${managementFolder}/value. Empty: they lie on this one.`,
    ),
  satelliteLookAgain: wholeNumber(second)
    .default(10 * second)
    .describe(
      "Milliseconds after which LINSTOR is asked again for what no event says: copies that are being made. The sweep " +
        "keeps it while it naps; what begins to wait between two of its ticks is first asked for with the next tick.",
    ),
});
export type Common = z.output<typeof common>;
