import { expect } from "vitest";
import { StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { Cluster } from "../../harness/cluster.ts";
import { callsOf } from "../calls-of.ts";
import type { Scenario } from "../scenario.ts";
import { settled } from "../settled.ts";
import { annotateNamespace, annotateSet, inForce, policyKey, runningSet, set } from "./helpers.ts";
import { policyNames } from "./policies.ts";

/** What updates of a set that change nothing of concern ask of the API server: its status, and its annotations. */
async function cost(cluster: Cluster): Promise<unknown[]> {
  await settled(cluster);
  const before = callsOf(cluster, "pvc-retention").length;
  const { admin, namespace } = cluster;
  const status = { conditions: [{ type: "Quiet", status: "True" }] };
  await admin.patch(StatefulSet, namespace, set, "merge", { status }, { subresource: "status" });
  await annotateSet(cluster, { "scenario.example/touched": "quiet" });
  await settled(cluster);
  return callsOf(cluster, "pvc-retention")
    .slice(before)
    .map(({ rule, request }) => `${rule}: ${request.method} ${request.path}`);
}

/** What a set costs to which nothing happens that is of any concern. */
export const quiet: readonly Scenario[] = [
  ...policyNames.map(
    (policy): Scenario => ({
      title: `${policy}: an update of a set in which no replica count changes costs no request`,
      within: true,
      async run(cluster) {
        await runningSet(cluster, { policy });
        expect(await cost(cluster)).toEqual([]);
      },
    }),
  ),
  {
    title: "without a policy, and with the namespace's: an update of a set costs no request",
    within: true,
    async run(cluster) {
      await runningSet(cluster);
      expect(await cost(cluster)).toEqual([]);
      await annotateNamespace(cluster, { [policyKey]: "DeleteOnScaledownOnly" });
      await inForce(cluster, "DeleteOnScaledownOnly");
      expect(await cost(cluster)).toEqual([]);
    },
  },
];
