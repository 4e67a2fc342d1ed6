import * as z from "zod";
import type { Decision } from "../../../shared/decision.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Event, Namespace, StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import { projectingRule as name } from "../../../shared/retention/projected.ts";
import { hasTraces } from "../../../shared/retention/traces.ts";
import { on, rule, type Subject } from "../../../shared/rule.ts";
import { decideSet } from "./decide-set.ts";
import { lookAtNamespace, lookAtOne, type SetAndRivals } from "./look.ts";

const settings = z.object({
  project: z
    .enum(["whole", "scaled", "off"])
    .default("whole")
    .describe(
      "What is written onto the set's own `persistentVolumeClaimRetentionPolicy`: `whole`, the policy; `scaled`, only what is to " +
        "happen at a scale-down, and the rules see to the rest when the set is deleted; `off`, nothing.",
    ),
});
type Settings = z.output<typeof settings>;

export const project = rule({
  name,
  doc: "Applies the policy of a set to the set's own field, where nobody else has chosen a value, and says on the set what is in force.",
  settings,
  wakes: [on(Sets, ["add", "update"]), on(Namespace, ["add", "update"])],
  may: [
    { resource: Sets, verbs: ["get", "list", "patch"] },
    { resource: Namespace, verbs: ["get"] },
    { resource: Event, verbs: ["create", "get", "delete"] },
  ],
  sweep: [{ kind: Sets }],
  subjects,
  look: async ({ namespace, name, members }, { client }): Promise<readonly SetAndRivals[]> =>
    name === undefined ? lookAtNamespace(client, namespace, members) : lookAtOne(client, namespace, name),
  decide: (facts, now, { project }: Settings): readonly Decision[] =>
    facts.flatMap((one) => decideSet(one, now, project) ?? []),
});

/**
 * A namespace may give its sets another policy: all are judged. A new set may be a rival of those that are there. An
 * update of a set without policy of its own and without traces changes nothing: what its namespace says was applied when it came.
 */
function subjects({ kind, change, namespace, name, object }: Hint): readonly Subject[] {
  if (change === "delete" || (object && isBeingDeleted(object))) return [];
  if (kind === "Namespace") return [{ kind: Sets, namespace: name }];
  if (kind !== "StatefulSet" || !namespace) return [];
  if (change === "add") return [{ kind: Sets, namespace, members: [name] }];
  return !object || hasTraces(object) ? [{ kind: Sets, namespace, name }] : [];
}
