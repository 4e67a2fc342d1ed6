import { describe } from "vitest";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Setting } from "../harness/cluster.ts";
import { openCluster } from "../harness/open-cluster.ts";
import * as platform from "./platform/scenarios.ts";
import { watchInvariants } from "./pvc-protection/invariants.ts";
import * as protection from "./pvc-protection/scenarios.ts";
import { beside } from "./pvc-protection/settings.ts";
import { runScenarios } from "./run-scenarios.ts";

/** What kustomize's `namespace:` does to an object: it reaches fields, and no texts. */
function move(object: KubernetesObject): KubernetesObject {
  const text = JSON.stringify(object).replaceAll('"namespace":"holdfast"', '"namespace":"storage-safety"');
  const moved = JSON.parse(text) as KubernetesObject;
  return object.kind === "Namespace" ? { ...moved, metadata: { ...moved.metadata, name: "storage-safety" } } : moved;
}

const moved: Setting = { ...beside, name: "in another namespace", edit: move };

/** One of each function that serves the rules, which know their own namespace. */
const titles = [
  "if every event is lost, the sweep alone has claims protected and released",
  "an event that a function finally refuses is shown on its claim, once, with what it said last",
];

describe("Holdfast, moved by an administrator's overlay", () => {
  const chosen = [...protection.scenarios, ...platform.scenarios].filter(({ title }) => titles.includes(title));
  runScenarios(
    chosen.map((scenario) => ({ ...scenario, settings: [moved] })),
    [moved],
    { open: openCluster, watch: watchInvariants },
  );
});
