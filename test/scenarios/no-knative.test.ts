import { describe } from "vitest";
import type { Setting } from "../harness/cluster.ts";
import { openCluster } from "../harness/open-cluster.ts";
import { clusterLife } from "./pvc-protection/cluster-life.ts";
import { eventDisturbance } from "./pvc-protection/disturbance.ts";
import * as protection from "./pvc-protection/invariants.ts";
import { quiet } from "./pvc-protection/quiet.ts";
import { beside } from "./pvc-protection/settings.ts";
import { changesOfBoth } from "./pvc-retention/document-list.ts";
import * as retention from "./pvc-retention/invariants.ts";
import { byDefault } from "./pvc-retention/settings.ts";
import { runScenarios } from "./run-scenarios.ts";
import type { Scenario } from "./scenario.ts";

/** Sources and brokers are those of knative/overlays/no-knative, under the one account that they have there. */
const bare = (setting: Setting): Setting => ({
  ...setting,
  name: "beside Kubernetes' own controllers",
  withoutKnative: true,
});

/** The scenarios of a setting, in another one. */
const moved = (scenarios: readonly Scenario[], from: Setting, to: Setting): readonly Scenario[] =>
  scenarios
    .filter(({ settings }) => settings?.includes(from) ?? true)
    .map((scenario) => ({ ...scenario, settings: [to] }));

// The functions are the same: what differs is how events come to them, and whose account sends them.
describe("PVC protection without Knative", () => {
  const setting = bare(beside);
  runScenarios(moved([...clusterLife, ...eventDisturbance, ...quiet], beside, setting), [setting], {
    open: openCluster,
    watch: protection.watchInvariants,
  });
});

describe("PVC retention without Knative", () => {
  const setting = bare(byDefault);
  runScenarios(moved(changesOfBoth, byDefault, setting), [setting], {
    open: openCluster,
    watch: retention.watchInvariants,
  });
});
