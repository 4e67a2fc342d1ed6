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
  // The first two for the reason that is said of their rights below.
  const shown = ["add-finalizer", "report-health"].flatMap((rule) =>
    ["conditions Ready", "fields status.phase"].map((write) => [`volume-${rule}: ${write} of Volume`, rule] as const),
  );
  proveWritesAreMade("volume", asked, {
    ...Object.fromEntries(shown),
    "volume-run-job: annotations * of PersistentVolume": "run-job/persistent-volume-of.test.ts",
  });
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
