import { describe } from "vitest";
import { emulatedWorld } from "../worlds/emulated-world.ts";
import type { Setting } from "../worlds/world.ts";
import { clusterLife } from "./pvc-protection/cluster-life.ts";
import { disturbance } from "./pvc-protection/disturbance.ts";
import * as protection from "./pvc-protection/invariants.ts";
import { quiet } from "./pvc-protection/quiet.ts";
import { beside } from "./pvc-protection/settings.ts";
import { documentList } from "./pvc-retention/document-list.ts";
import * as retention from "./pvc-retention/invariants.ts";
import { both } from "./pvc-retention/policies.ts";
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
  runScenarios(moved([...clusterLife, ...disturbance, ...quiet], beside, setting), [setting], {
    open: emulatedWorld,
    watch: protection.watchInvariants,
  });
});

describe("PVC retention without Knative", () => {
  const setting = bare(byDefault);
  const ofBoth = documentList.filter(({ title }) => title.startsWith(both));
  runScenarios(moved(ofBoth, byDefault, setting), [setting], {
    open: emulatedWorld,
    watch: retention.watchInvariants,
  });
});
