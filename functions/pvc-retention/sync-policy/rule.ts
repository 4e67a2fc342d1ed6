import * as z from "zod";
import type { Hint } from "../../../shared/event/hint.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Event, Namespace, StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import { on, rule } from "../../../shared/rule.ts";
import { silent, warning } from "../../../shared/steps.ts";
import type { Subject } from "../../../shared/subject.ts";
import { due } from "../../../shared/sweep.ts";
import { keptRetain } from "../lib/field-managers.ts";
import { projectingRule as name, policyKey } from "../lib/policy.ts";
import type { StatefulSet } from "../lib/stateful-set.ts";
import { releaseField } from "./apply-field.ts";
import { decideSet } from "./decide-set.ts";
import { look, type SetAndPolicy } from "./look.ts";
import { concerns, deletesByNote } from "./noted.ts";

export const syncPolicy = rule({
  name,
  doc:
    "Writes the policy of a set into the set's own field, unless another manager has chosen to keep more, " +
    "and says on the set what is in force.",
  settings: z.object({}),
  triggers: [on(Sets, ["add", "update"]), on(Namespace, ["add", "update"])],
  permissions: [
    {
      resource: Sets,
      verbs: ["get", "list", "patch"],
      why: "to read the annotation with the policy, and to write the policy into the field of the StatefulSet",
      writes: { fields: ["spec.persistentVolumeClaimRetentionPolicy"] },
      bounds: [keptRetain],
    },
    { resource: Namespace, verbs: ["get"], why: "to read the policy that the namespace names for its StatefulSets" },
    {
      resource: Event,
      verbs: ["create", "get", "delete"],
      why: "to record on the StatefulSet that its policy has no effect, and to delete that Event",
    },
  ],
  sweep: [due(Sets)],
  steps: {
    "in-force": silent,
    "given-back": silent,
    unreadable: warning("PolicyUnreadable"),
    held: warning("RetentionPolicyHeld"),
    "taken-back": warning("RetentionPolicyTakenBack"),
  },
  leavesBehind: [
    {
      kind: Sets,
      isOn: deletesByNote,
      what: `StatefulSets whose persistentVolumeClaimRetentionPolicy ${name} has written`,
      effect:
        "Kubernetes goes on deleting claims by it. To have it put back, remove the annotation " +
        `${policyKey} from the set, or from its namespace, while ${name} is installed.`,
      undo: (object) => releaseField(object as StatefulSet),
    },
  ],
  subjects,
  look: ({ namespace, name }, { client }): Promise<readonly SetAndPolicy[]> => look(client, namespace, name),
  decide: (facts, now) => facts.flatMap((one) => decideSet(one, now) ?? []),
});

/** A namespace may give its sets another policy: all are judged. */
function subjects({ kind, change, namespace, name, object }: Hint): readonly Subject[] {
  if (change === "delete" || (object && isBeingDeleted(object))) return [];
  if (kind === "Namespace") return [{ kind: Sets, namespace: name }];
  if (kind !== "StatefulSet" || !namespace) return [];
  // A new set may have its policy from its namespace, which no event of the set shows.
  const concerned = change === "add" || !object || concerns(object as StatefulSet);
  return concerned ? [{ kind: Sets, namespace, name }] : [];
}
