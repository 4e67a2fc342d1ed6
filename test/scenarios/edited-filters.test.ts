import { describe } from "vitest";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Setting } from "../harness/cluster.ts";
import { openCluster } from "../harness/open-cluster.ts";
import { clusterLife } from "./pvc-protection/cluster-life.ts";
import { watchInvariants } from "./pvc-protection/invariants.ts";
import { protecting } from "./pvc-protection/protecting.ts";
import { replacement } from "./pvc-protection/replacement.ts";
import { beside } from "./pvc-protection/settings.ts";
import { changesOfBoth } from "./pvc-retention/document-list.ts";
import { watchInvariants as watchRetention } from "./pvc-retention/invariants.ts";
import { byDefault } from "./pvc-retention/settings.ts";
import { runScenarios } from "./run-scenarios.ts";
import type { Scenario } from "./scenario.ts";

/** As if an administrator had emptied the filters: each function gets every event of its brokers, and must not mind. */
function unfiltered(setting: Setting): Setting {
  const { edit = (object) => object } = setting;
  const emptied = (object: KubernetesObject) =>
    object.kind === "Trigger" ? { ...object, spec: { ...(object.spec as object), filters: [] } } : object;
  return {
    ...setting,
    name: "whose Triggers let everything through",
    edit: (object) => emptied(edit(object)),
  };
}

/** The scenarios of a setting, in another one. */
const movedTo = (setting: Setting, from: Setting, all: readonly Scenario[]): readonly Scenario[] =>
  all
    .filter(({ settings }) => settings?.includes(from) ?? true)
    .map((scenario) => ({ ...scenario, settings: [setting] }));

describe("PVC protection after its filters were edited", () => {
  const setting = unfiltered(beside);
  // What a function does with an event that its filters withhold: of new, of replaced and of deleted claims and pods.
  const chosen = [...clusterLife, ...protecting, ...replacement];
  runScenarios(movedTo(setting, beside, chosen), [setting], { open: openCluster, watch: watchInvariants });
});

describe("PVC retention after its filters were edited", () => {
  const setting = unfiltered(byDefault);
  runScenarios(movedTo(setting, byDefault, changesOfBoth), [setting], { open: openCluster, watch: watchRetention });
});
