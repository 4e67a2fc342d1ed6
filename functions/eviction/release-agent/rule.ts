import { chainRule } from "../../../shared/chain/chain-rule.ts";
import { removeFinalizer } from "../../../shared/kubernetes/finalizer.ts";
import { Pod } from "../../../shared/kubernetes/kind.ts";
import { on } from "../../../shared/rule.ts";
import { agentEviction } from "../lib/agent-eviction.ts";
import { agentsIn } from "../lib/agent-pod.ts";
import { agents, kindOf } from "../lib/kinds.ts";
import { letGo } from "../lib/let-go.ts";
import { agentFinalizer, movingKey } from "../lib/names.ts";
import { mayLetGo, mayLookAtAgents } from "../lib/permissions.ts";

export const releaseAgent = chainRule(agentEviction, "release-agent", {
  doc: "Deletes the pods of an agent that serves nothing, then removes its lock, and releases the resource last.",
  permissions: [
    ...mayLookAtAgents({ finalizers: [agentFinalizer] }, "to remove the finalizer when the agent serves nothing"),
    ...mayLetGo,
  ],
  triggers: [...agents.map((kind) => on(kind, ["update"])), on(Pod, ["delete"])],
  subjects: (hint, own) => [...own, ...agentsIn(hint, agents)],
  finalizers: agents.map((kind) => ({
    kind,
    finalizer: agentFinalizer,
    standsFor: "routers and networks of OpenStack",
    isUnderWay: ({ metadata }) => metadata.annotations?.[movingKey] !== undefined,
  })),
  act: (context) => {
    const release = removeFinalizer(kindOf(context.object), context.object, agentFinalizer);
    return letGo(context, release, context.moving?.disabled);
  },
});
