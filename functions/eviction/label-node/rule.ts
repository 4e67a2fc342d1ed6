import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Node, Pod } from "../../../shared/kubernetes/kind.ts";
import { on, rule } from "../../../shared/rule.ts";
import { silent } from "../../../shared/steps.ts";
import { due, resync, whileDeleting } from "../../../shared/sweep.ts";
import { isReady } from "../lib/agent-pod.ts";
import { forget } from "../lib/dependent.ts";
import { bases, kindOf } from "../lib/kinds.ts";
import { approvalWanted, conflictPause, findL2Agent, type L2Agent, l2AgentsIn, nounOf } from "../lib/l2-agent.ts";
import { approvalKey, l2Finalizer } from "../lib/names.ts";
import { maintenanceLabel, maintenanceOf, setMaintenance } from "../lib/node-lock.ts";
import { mayRecordEvents, onEach } from "../lib/permissions.ts";
import { type Common, common } from "../lib/settings.ts";

const name = "eviction/label-node";

export const labelNode = rule({
  name,
  doc: "Labels a Node False when its L2 agent is Ready, and True before that agent has to go.",
  settings: common,
  common,
  triggers: [...bases.map((kind) => on(kind, ["add", "update"]))],
  permissions: [
    ...onEach(bases, {
      verbs: ["get", "patch"],
      writes: { annotations: [approvalKey] },
      why: "to see whether the L2 or OVN agent has to go, and to remove an agreement that is used up",
    }),
    {
      resource: Node,
      verbs: ["get", "patch"],
      writes: { labels: [maintenanceLabel] },
      why: "to set the label that lets agents come to the Node, or asks them to leave",
    },
    { resource: Pod, verbs: ["get"], why: "to see whether the pod of the L2 or OVN agent is Ready" },
    mayRecordEvents,
  ],
  sweep: bases.flatMap((kind) => [due(kind), whileDeleting(kind, l2Finalizer), resync(kind)]),
  steps: { waiting: silent },
  subjects: (hint) => l2AgentsIn(hint),
  look: (subject, view) => findL2Agent(subject, view),
  decide: (found: readonly L2Agent[], now, settings) => found.map((agent) => decide(agent, now, settings)),
});

function decide(
  { object, node, pod, mustGo, conflict, isApproved, isResync }: L2Agent,
  now: number,
  { evictionLookAgain }: Common,
): Decision {
  const kind = kindOf(object);
  const at = about(kind, object);
  const noun = nounOf(object);
  const waits = (message: string, pause = evictionLookAgain) =>
    at.wait(message, { step: { name: "waiting" }, next: now + pause });
  // No event of this agent is sent when the other one is deleted.
  if (conflict && !isBeingDeleted(object)) return waits(conflict, conflictPause);
  if (conflict && !pod) return at.leave(conflict);
  if (!node) return at.leave("Its Node does not exist.");
  const label = maintenanceOf(node);
  if (mustGo) {
    const isSaid = `The label of the Node says that its ${noun} has to go.`;
    // No event of the agent is sent when its pod is replaced, so an agent that waits for that is due by itself.
    if (label === "True") return isBeingDeleted(object) ? at.leave(isSaid) : waits(isSaid);
    // One edit of all templates would label all Nodes at once.
    if (!isApproved) return at.leave(approvalWanted(object));
    const message = `The ${noun} has to go: the compute node and the agents that need it leave the Node first.`;
    return at.write(message, [setMaintenance(node, true)]);
  }
  // The agreement was to what is over now, or is of long ago: a later edit would label the Node without a question.
  const used = label !== "False" || isResync ? forget(object, [approvalKey]) : [];
  const isSaid = `The label of the Node says that its ${noun} is ready.`;
  if (label === "False") return used.length > 0 ? at.write(isSaid, used) : at.leave(isSaid);
  // No event is sent when a pod is Ready: kubelets write pods all the time.
  if (!pod || !isReady(pod)) return waits(`The Node is labelled when the pod of the ${noun} is Ready.`);
  const message = `The ${noun} is ready: agents that need it may come to the Node.`;
  return at.write(message, [...used, setMaintenance(node, false)]);
}
