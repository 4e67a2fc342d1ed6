import { describe } from "vitest";
import { openCluster } from "../harness/open-cluster.ts";
import { scenarios } from "./eviction/scenarios.ts";
import { standInOpenStack } from "./eviction/settings.ts";
import { explaining } from "./explained.ts";
import { proveGrantsAreUsed, proveWritesAreMade } from "./rights.ts";
import { runScenarios } from "./run-scenarios.ts";

describe("Evictions on the laptop edition", () => {
  const { open, prove } = explaining(openCluster, standInOpenStack);
  const asked = runScenarios(scenarios, [standInOpenStack], { open });
  prove();
  const retry = "annotations holdfast.dev/retry-eviction of";
  proveWritesAreMade("eviction", asked, {
    [`eviction-evacuate-servers: ${retry} NovaComputeNode`]: "next-call.ts, as eviction-move-servers does",
    "eviction-enable-agent: annotations holdfast.dev/agent-eviction of NeutronOVNBGPAgent": "as of a NeutronBGPDRAgent",
    [`eviction-move-bindings: ${retry} NeutronDHCPAgent`]: "as of a NeutronL3Agent",
    [`eviction-move-bindings: ${retry} NeutronBGPDRAgent`]: "as of a NeutronL3Agent",
  });
  proveGrantsAreUsed("eviction", asked);
});
