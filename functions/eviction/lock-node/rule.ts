import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import { objectsIn } from "../../../shared/event/objects-in.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { addFinalizers, hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Node, Pod } from "../../../shared/kubernetes/kind.ts";
import { on, rule } from "../../../shared/rule.ts";
import type { Subject } from "../../../shared/subject.ts";
import { lacking, resync } from "../../../shared/sweep.ts";
import { type Dependent, findDependent } from "../lib/dependent.ts";
import { dependents, kindOf } from "../lib/kinds.ts";
import { finalizerOf, noticedKey } from "../lib/names.ts";
import { hasLock, lockOf, lockPrefix, locksOn, maintenanceOf, setLock } from "../lib/node-lock.ts";
import { mayRecordEvents } from "../lib/permissions.ts";
import { type Common, common } from "../lib/settings.ts";

export const lockNode = rule({
  name: "eviction/lock-node",
  doc: "Sets the lock of a resource on its Node before anything else, and notes the Node's label for the other rules.",
  settings: common,
  common,
  triggers: [...dependents.map((kind) => on(kind, ["add", "update"])), on(Node, ["update"])],
  permissions: [
    ...dependents.map((resource) => ({
      resource,
      verbs: ["get", "patch"] as const,
      writes: { annotations: [noticedKey], finalizers: [finalizerOf(resource)] },
      why: "to hold it until it is evicted, and to note the label of its Node",
    })),
    {
      resource: Node,
      verbs: ["get", "patch"],
      writes: { annotations: [`${lockPrefix}*`] },
      bounds: [
        {
          on: ["patch"],
          says: "changes a Node only if all its locks stay",
          cel:
            `oldObject.metadata.?annotations.orValue({}).all(k, !k.startsWith("${lockPrefix}") || ` +
            "k in object.metadata.?annotations.orValue({}))",
        },
      ],
      why: "to read the maintenance label, and to add the lock of each agent",
    },
    { resource: Pod, verbs: ["get", "list"], why: "to see whether a pod of the agent is on the Node" },
    mayRecordEvents,
  ],
  sweep: dependents.flatMap((kind) => [lacking(kind, finalizerOf(kind)), resync(kind)]),
  subjects: (hint, settings) => [
    ...objectsIn(hint, dependents, (object) => !isBeingDeleted(object)),
    ...ofNode(hint, settings),
  ],
  look: (subject, view) => findDependent(subject, view),
  decide: (found: readonly Dependent[]) => found.flatMap((one) => decide(one)),
});

/** What may be on a Node that has to do with OpenStack's agents. */
function ofNode({ kind, apiVersion, name, object }: Hint, { agentNamespace }: Common): readonly Subject[] {
  if (kind !== Node.kind || apiVersion !== Node.apiVersion) return [];
  if (object && maintenanceOf(object) === undefined && locksOn(object).length === 0) return [];
  return dependents.map((kind) => ({ kind, namespace: agentNamespace, name }));
}

function decide({ object, node, pods, unmanaged, wanted }: Dependent): readonly Decision[] {
  const kind = kindOf(object);
  const at = about(kind, object);
  if (unmanaged) return [at.leave(unmanaged)];
  if (isBeingDeleted(object)) return [at.leave("It is being deleted. Its lock goes when nothing is left.")];
  const finalizer = finalizerOf(kind);
  if (!hasFinalizer(object, finalizer))
    return [at.write("A finalizer keeps it until it has been evicted.", [addFinalizers(kind, object, [finalizer])])];
  if (!node) return [at.leave("Its Node does not exist.")];
  const lock = lockOf(object);
  const mayCome = maintenanceOf(node) === "False" && wanted !== "go";
  if (!hasLock(node, lock) && (mayCome || pods.length > 0))
    return [at.write(`Node ${node.metadata.name} gets its lock.`, [setLock(node, lock, true)])];
  // Last, because the other rules are triggered by it: the lock is there by then.
  const label = maintenanceOf(node) ?? "absent";
  if (object.metadata.annotations?.[noticedKey] === label) return [at.leave("Its Node's label is known.")];
  return [at.write(`Its Node's label is ${label} now.`, [annotate(kind, object, { [noticedKey]: label })])];
}
