import { describe } from "vitest";
import { openCluster } from "../harness/open-cluster.ts";
import { bySweepsAlone } from "./by-sweeps-alone.ts";
import { explaining } from "./explained.ts";
import { proveGrantsAreUsed, proveWritesAreMade } from "./rights.ts";
import { runScenarios } from "./run-scenarios.ts";
import { scenarios } from "./undelete/scenarios.ts";
import { always, asking, claimsIgnored, narrow, shipped } from "./undelete/settings.ts";

/** What takes no sweep of its own, without any source of changes. */
const swept = bySweepsAlone(
  scenarios.filter(({ alone }) => !alone),
  shipped,
  4_000,
);

describe("undelete on the laptop edition", () => {
  const { open, prove } = explaining(openCluster, shipped);
  const asked = runScenarios(
    [...scenarios, ...swept.scenarios],
    [shipped, asking, always, narrow, claimsIgnored, swept.setting],
    { open },
  );
  proveWritesAreMade("undelete", asked);
  proveGrantsAreUsed("undelete", asked);
  prove();
});
