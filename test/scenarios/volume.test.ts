import { describe } from "vitest";
import { openCluster } from "../harness/open-cluster.ts";
import { explaining } from "./explained.ts";
import { proveGrantsAreUsed, proveWritesAreMade } from "./rights.ts";
import { runScenarios } from "./run-scenarios.ts";
import { scenarios } from "./volume/scenarios.ts";
import { standInSalt } from "./volume/settings.ts";

describe("Volumes on the laptop edition", () => {
  const { open, prove } = explaining(openCluster, standInSalt);
  const asked = runScenarios(scenarios, [standInSalt], { open });
  prove();
  const status = (account: string) => `${account}: patch storage.metalk8s.scality.com/volumes/status`;
  proveWritesAreMade("volume", asked);
  proveGrantsAreUsed("volume", asked, [
    // What another installation's schema has let in, and PersistentVolumes that fail, neither cluster here has.
    ...["volume-add-finalizer", "volume-report-health"].flatMap((name) => [
      status(name),
      `${name}: create events.k8s.io/events`,
    ]),
    // Salt is away at the very moment at which a Volume is Available: test/differential/outages.
    "volume-refresh-device-name: create events.k8s.io/events",
  ]);
});
