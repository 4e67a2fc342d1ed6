import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { conditionWrites } from "../../../shared/kubernetes/condition-writes.ts";
import { addFinalizers, hasFinalizer, isBeingDeleted, removeFinalizer } from "../../../shared/kubernetes/finalizer.ts";
import { Node, Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { on, rule } from "../../../shared/rule.ts";
import { silent } from "../../../shared/steps.ts";
import { lacking, poll, resync, whileDeleting } from "../../../shared/sweep.ts";
import { createPod, deletePod, hasEnded } from "../lib/agent-pod.ts";
import { mayKeepPods } from "../lib/kept-pods.ts";
import { bases, dependents, kindOf } from "../lib/kinds.ts";
import { approvalWanted, conflictPause, findL2Agent, type L2Agent, l2AgentsIn, nounOf } from "../lib/l2-agent.ts";
import { conditions, l2Finalizer } from "../lib/names.ts";
import { lockOf, locksOn, maintenanceLabel, maintenanceOf } from "../lib/node-lock.ts";
import { mayRecordEvents, onEach } from "../lib/permissions.ts";
import { convergedReport } from "../lib/report.ts";
import { type Common, common } from "../lib/settings.ts";

const name = "eviction/replace-agent";

export const replaceAgent = rule({
  name,
  doc: "Keeps the pod of an L2 or OVN agent on its Node, and touches it only when no lock is on that Node.",
  settings: common,
  common,
  triggers: [...bases.map((kind) => on(kind, ["add", "update"])), on(Pod, ["delete"])],
  permissions: [
    ...onEach(bases, {
      verbs: ["get", "patch"],
      writes: { finalizers: [l2Finalizer] },
      why: "to hold the L2 or OVN agent until no other agent needs it",
    }),
    { resource: Node, verbs: ["get"], why: "to see which locks are on the Node, and what its maintenance label says" },
    { resource: Pod, verbs: ["get"], why: "to see whether the pod of the agent is there, has ended or is outdated" },
    ...mayKeepPods(
      bases,
      [conditions.converged],
      "to create the pod of the agent, and to delete it when it has ended or no agent needs it",
    ),
    mayRecordEvents,
  ],
  // No event is sent when a pod has ended, as in keep-pod.
  sweep: bases.flatMap((kind) => [
    lacking(kind, l2Finalizer),
    whileDeleting(kind, l2Finalizer),
    resync(kind),
    poll(kind, "1h"),
  ]),
  steps: { waiting: silent },
  finalizers: bases.map((kind) => ({ kind, finalizer: l2Finalizer, standsFor: "networks of servers on their Nodes" })),
  subjects: (hint) => l2AgentsIn(hint),
  look: (subject, view) => findL2Agent(subject, view),
  decide: (found: readonly L2Agent[], now, settings) => found.map((agent) => decide(agent, now, settings)),
});

/** No agent needs this one: the Node says that it has to go, and has no lock of any name; or the Node is gone. */
const isFree = (node: KubernetesObject | undefined) =>
  !node || (maintenanceOf(node) === "True" && locksOn(node).length === 0);

function decide(
  { object, node, pod, inTheWay, mustGo, conflict, isApproved }: L2Agent,
  now: number,
  { evictionLookAgain }: Common,
): Decision {
  const kind = kindOf(object);
  const at = about(kind, object);
  const isDeleting = isBeingDeleted(object);
  const noun = nounOf(object);
  const converged = (reason: "Success" | "Dependency", message: string) =>
    conditionWrites(kind, object, [convergedReport(reason, message)], now);
  const waits = (message: string, pause = evictionLookAgain) =>
    at.write(message, converged("Dependency", message), { step: { name: "waiting" }, next: now + pause });
  const gone = `Node ${object.metadata.name} does not exist.`;
  if (!isDeleting && !node) return waits(`${gone} The pod of the ${noun} is created when it does.`);
  const held = `Holdfast sets its finalizer on the ${noun}, which then stays until nothing on the Node needs it.`;
  if (!isDeleting && !hasFinalizer(object, l2Finalizer))
    return at.write(held, [addFinalizers(kind, object, [l2Finalizer])]);
  if (isDeleting && !hasFinalizer(object, l2Finalizer)) return at.leave("It has no finalizer of Holdfast.");
  // No event of this agent is sent when the other one is deleted.
  if (conflict && !isDeleting) return waits(conflict, conflictPause);
  // One that has never come stands for nothing; the label is the other's.
  if (conflict && !pod && !inTheWay) return at.write(conflict, [removeFinalizer(kind, object, l2Finalizer)]);
  if (mustGo && node && !isFree(node)) {
    // It is needed until then, and the template that it was made of may be gone.
    const again = `The ${noun} is still needed: its pod has ended, and is created again.`;
    const isNeeded = locksOn(node).length > 0;
    if (isNeeded && pod && hasEnded(pod) && !isBeingDeleted(pod)) return at.write(again, [deletePod(pod)]);
    if (isNeeded && !pod && !inTheWay) return at.write(again, [createPod(object)]);
    return waits(isApproved || maintenanceOf(node) === "True" ? waiting(noun, node) : approvalWanted(object));
  }
  // Read once more before the write: a lock may have come, or the Node.
  const given = (holds: typeof isFree) => ({
    preconditions: [{ kind: Node, namespace: undefined, name: object.metadata.name, holds }],
  });
  if (pod && mustGo) {
    if (isBeingDeleted(pod)) return at.wait(`The pod of the ${noun} is being deleted.`);
    // A Node may be registered again within seconds, and its pods still serve it then.
    if (!node) return waits(`${gone} The ${noun} is released when Kubernetes has deleted its pod.`);
    const message = `Nothing on the Node needs the ${noun} any more: Holdfast deletes its pod.`;
    return at.write(
      message,
      [deletePod(pod)],
      given((live) => live !== undefined && isFree(live)),
    );
  }
  if (isDeleting) {
    const release = removeFinalizer(kind, object, l2Finalizer);
    return at.write(`Nothing needs the ${noun} any more, and its pod is gone.`, [release], given(isFree));
  }
  if (inTheWay) return at.write(inTheWay, converged("Dependency", inTheWay));
  if (!pod) return at.write(`The pod of the ${noun} is created on the Node.`, [createPod(object)]);
  if (hasEnded(pod)) return at.write(`The pod of the ${noun} has ended, and is created again.`, [deletePod(pod)]);
  const message = `The pod of the ${noun} is on the Node.`;
  return at.write(message, converged("Success", message));
}

function waiting(noun: string, node: KubernetesObject): string {
  const { name } = node.metadata;
  const locks = locksOn(node);
  if (locks.length === 0) return `The ${noun} goes when the label ${maintenanceLabel} of Node ${name} is True.`;
  const said = locks.map((lock) => lock + whoseLock(node, lock)).join(", ");
  return (
    `Locks are still on Node ${name}: ${said}. The ${noun} goes when all of them are gone. Each lock goes when its ` +
    "compute node or agent has left the Node. Only if one of these is gone and has left its lock, remove its lock " +
    `yourself, for example that of ${locks[0]}: \`kubectl annotate node ${name} ${lockOf({ kind: locks[0] ?? "" })}-\`.`
  );
}

interface FieldsOfManager {
  readonly manager?: string;
  readonly time?: string;
  readonly fieldsV1?: { readonly "f:metadata"?: { readonly "f:annotations"?: object } };
}

/**
 * Of a lock that is not called after a kind, which would name its agent: who has set it, and when at the latest. The
 * API server notes when a writer last wrote any field of its own.
 */
function whoseLock(node: KubernetesObject, lock: string): string {
  if (dependents.some(({ kind }) => kind === lock)) return "";
  const managed = (node.metadata.managedFields ?? []) as readonly FieldsOfManager[];
  const key = `f:${lockOf({ kind: lock })}`;
  const own = managed.find(({ fieldsV1 }) => Object.hasOwn(fieldsV1?.["f:metadata"]?.["f:annotations"] ?? {}, key));
  return own?.time ? ` (set by ${own.manager || "an unnamed writer"}, ${own.time} or earlier)` : "";
}
