import { describe } from "vitest";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { emulatedWorld } from "../worlds/emulated-world.ts";
import type { Setting } from "../worlds/world.ts";
import { watchInvariants } from "./pvc-protection/invariants.ts";
import { scenarios } from "./pvc-protection/scenarios.ts";
import { beside } from "./pvc-protection/settings.ts";
import { documentList } from "./pvc-retention/document-list.ts";
import { watchInvariants as watchRetention } from "./pvc-retention/invariants.ts";
import { both } from "./pvc-retention/policies.ts";
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
  // What triggers a function is what such an edit changes: those who count requests need the filters as they are
  // shipped.
  const chosen = scenarios.filter(({ title }) => !title.includes("trigger no function"));
  runScenarios(movedTo(setting, beside, chosen), [setting], { open: emulatedWorld, watch: watchInvariants });
});

describe("PVC retention after its filters were edited", () => {
  const setting = unfiltered(byDefault);
  const ofBoth = documentList.filter(({ title }) => title.startsWith(both));
  runScenarios(movedTo(setting, byDefault, ofBoth), [setting], { open: emulatedWorld, watch: watchRetention });
});
