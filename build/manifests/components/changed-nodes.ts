import { admissionPolicy, changedLabel } from "../../../functions/satellite/lib/matching/candidate.ts";
import { Node } from "../../../shared/kubernetes/kind.ts";
import type { Declared } from "../declared.ts";
import { kustomizationFile } from "../kustomization.ts";
import { sourceOf } from "../sources.ts";
import { alternatives, triggersOf } from "../triggers.ts";
import { toFile, toYaml } from "../yaml.ts";

const folder = `knative/satellite/${admissionPolicy}`;
const rule = "satellite/create";

/**
 * The option by which no heartbeat of a kubelet triggers a function: besides the policy, which is written by hand, a
 * source of the Nodes that it has labelled, and the Trigger of the one function that hears of Nodes without their
 * updates.
 */
export function addChangedNodes(files: Map<string, string>, functions: readonly Declared[]): void {
  const declared = functions.find(({ name }) => name === rule);
  if (!declared) return;
  const source = sourceOf({ name: "satellite-changed-nodes", account: "satellite-nodes-source", family: Node.family }, [
    { ...Node, selector: { matchLabels: { [changedLabel]: "true" } } },
  ]);
  files.set(`${folder}/source.yaml`, toFile("functions/satellite/*", [toYaml(source)]));
  const patches = triggersOf(declared).flatMap(({ name, awaits, overlay }) => {
    const index = alternatives(awaits).findIndex((filter) => JSON.stringify(filter) === JSON.stringify(update));
    const path = `/spec/filters/0/any/${index}`;
    const patch = [
      { op: "test", path, value: update },
      { op: "remove", path },
    ] as const;
    return index < 0 || overlay ? [] : [{ target: { kind: "Trigger", name }, patch }];
  });
  files.set(
    `${folder}/kustomization.yaml`,
    kustomizationFile(
      "Component",
      { resources: ["access.yaml", "policy.yaml", "source.yaml"], patches },
      "Kubernetes 1.36 or newer, beside the overlay satellite: the heartbeats of kubelets trigger no function. " +
        "Servers that do not know the kind MutatingAdmissionPolicy refuse it; without it one function is triggered " +
        "by every heartbeat. Before you take it away, delete the policy, so that no Node is labelled any more; a " +
        "label that is left does nothing.",
    ),
  );
}

const [update] = alternatives([{ kind: Node, changes: ["update"] }]);
