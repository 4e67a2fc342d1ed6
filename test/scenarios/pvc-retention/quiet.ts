import { expect } from "vitest";
import { StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { World } from "../../worlds/world.ts";
import { callsOf } from "../calls-of.ts";
import type { Scenario } from "../scenario.ts";
import { settled } from "../settled.ts";
import { annotateNamespace, annotateSet, inForce, policyKey, runningSet, set } from "./helpers.ts";
import { policyNames } from "./policies.ts";

/** What updates of a set that change nothing of concern ask of the API server: its status, and its annotations. */
async function cost(world: World): Promise<unknown[]> {
  await settled(world);
  const before = callsOf(world, "pvc-retention").length;
  const { admin, namespace } = world;
  const status = { conditions: [{ type: "Quiet", status: "True" }] };
  await admin.patch(StatefulSet, namespace, set, "merge", { status }, { subresource: "status" });
  await annotateSet(world, { "scenario.example/touched": "quiet" });
  await settled(world);
  return callsOf(world, "pvc-retention")
    .slice(before)
    .map(({ rule, request }) => `${rule}: ${request.method} ${request.path}`);
}

/** What a set costs to which nothing happens that is of any concern. */
export const quiet: readonly Scenario[] = [
  ...policyNames.map(
    (policy): Scenario => ({
      title: `${policy}: an update of a set in which no replica count changes costs no request`,
      within: true,
      async run(world) {
        await runningSet(world, { policy });
        expect(await cost(world)).toEqual([]);
      },
    }),
  ),
  {
    title: "the same where the policy is the namespace's, and where there is none",
    within: true,
    async run(world) {
      await runningSet(world);
      expect(await cost(world)).toEqual([]);
      await annotateNamespace(world, { [policyKey]: "DeleteOnScaledownOnly" });
      await inForce(world, "DeleteOnScaledownOnly");
      expect(await cost(world)).toEqual([]);
    },
  },
];
