import type { RuleTrigger } from "../../../shared/rule.ts";
import type { Declared } from "../declared.ts";
import { kustomizationFile, type Operation, type Patch } from "../kustomization.ts";
import { sourceNameOf } from "../sources.ts";
import { alternatives } from "../triggers.ts";

const folder = "knative/components/source-filters";

/**
 * Sources that send only what triggers a function: a component for the default, one for each option, and for each
 * optional system.
 */
export function addSourceFilters(
  files: Map<string, string>,
  functions: readonly Declared[],
  optional: ReadonlyMap<string, readonly Declared[]>,
): void {
  // A signal comes from elsewhere.
  const triggers = functions.flatMap(({ triggers = [] }) => triggers.filter(({ signal }) => !signal));
  const about =
    "Sources send only what some Trigger of the default lets through: " +
    "the other changes of pods and claims end in the adapter. Needs new-apiserversource-filters: " +
    "enabled in Knative's ConfigMap config-features, which is alpha; without it Knative refuses the sources. " +
    "With an option that has Triggers of its own (pod-updates, for example), " +
    "and with the overlay of an optional system, also list the folder of its name beneath this one: " +
    "what the sources keep back reaches no Trigger.";
  const byDefault = triggers.filter(({ overlay }) => !overlay);
  const patches = perSource(byDefault, (any) => [{ op: "add", path: "/spec/filters", value: [{ any }] }]);
  files.set(`${folder}/kustomization.yaml`, kustomizationFile("Component", { patches }, about));
  for (const [option, optional] of Map.groupBy(triggers, ({ overlay }) => overlay)) {
    if (!option) continue;
    const more = perSource(optional, (any) =>
      any.map((value) => ({ op: "add", path: "/spec/filters/0/any/-", value })),
    );
    const about = `After source-filters, for the option ${option}.`;
    files.set(`${folder}/${option}/kustomization.yaml`, kustomizationFile("Component", { patches: more }, about));
  }
  for (const [system, members] of optional) {
    const sources = new Set(byDefault.map(({ kind }) => sourceNameOf(kind)));
    // What comes from sources of the default; those of the system's own have no filters.
    const shared = members
      .flatMap(({ triggers = [] }) => triggers.filter(({ signal, overlay }) => !signal && !overlay))
      .filter(({ kind }) => sources.has(sourceNameOf(kind)));
    if (shared.length === 0) continue;
    const more = perSource(shared, (any) => any.map((value) => ({ op: "add", path: "/spec/filters/0/any/-", value })));
    const about = `After source-filters, with the overlay ${system}.`;
    files.set(`${folder}/${system}/kustomization.yaml`, kustomizationFile("Component", { patches: more }, about));
  }
}

/** What the sources of each family are to send, each thing once. */
function perSource(
  triggers: readonly RuleTrigger[],
  operations: (any: readonly object[]) => readonly Operation[],
): readonly Patch[] {
  const sources = Map.groupBy(triggers, ({ kind }) => sourceNameOf(kind));
  return [...sources].sort().map(([name, triggers]) => {
    const all = alternatives(triggers);
    const once = new Map(all.map((alternative) => [JSON.stringify(alternative), alternative]));
    return { target: { kind: "ApiServerSource", name }, patch: operations([...once.values()]) };
  });
}
