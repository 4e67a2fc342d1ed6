import { describe } from "vitest";
import { NeutronL2Agent, NeutronL3Agent, NovaComputeNode } from "../../functions/eviction/lib/kinds.ts";
import { approvalKey } from "../../functions/eviction/lib/names.ts";
import { withTurns } from "../../local/start/swept-often.ts";
import { openCluster } from "../harness/open-cluster.ts";
import { approve, createAgent, namespace, node, serving, swept } from "./eviction/helpers.ts";
import { standInSetting } from "./eviction/settings.ts";
import { runScenarios } from "./run-scenarios.ts";
import type { Scenario } from "./scenario.ts";

/** As where six hours have passed: every object is resynced in every tick. */
const resynced = Object.assign(standInSetting({}), { edit: (object: object) => withTurns(object as never, "1s") });

const scenario: Scenario = {
  title: "an agreement that is given before anything has to leave goes with the resync",
  async run(cluster) {
    await serving(cluster);
    await createAgent(cluster, NeutronL3Agent);
    for (const kind of [NovaComputeNode, NeutronL3Agent, NeutronL2Agent]) {
      await approve(cluster, kind);
      const annotations = async () => (await cluster.admin.get(kind, namespace, node))?.metadata.annotations;
      await swept(cluster, `that on the ${kind.kind} goes`, async () => !(await annotations())?.[approvalKey]);
    }
  },
  settings: [resynced],
};

describe("Evictions with a resync in every tick", () => {
  runScenarios([scenario], [resynced], { open: openCluster });
});
