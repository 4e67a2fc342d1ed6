import { chainRule } from "../../../shared/chain/chain-rule.ts";
import { agentEviction } from "../lib/agent-eviction.ts";
import { agents } from "../lib/kinds.ts";
import { letGo, lettingGo } from "../lib/let-go.ts";
import { agentFinalizer, movingKey } from "../lib/names.ts";
import { mayLetGo, mayLookAtAgents } from "../lib/permissions.ts";

export const releaseAgent = chainRule(agentEviction, "release-agent", {
  doc: "Deletes the pods of an agent that serves nothing, then removes its lock, and releases the resource last.",
  permissions: [
    ...mayLookAtAgents({ finalizers: [agentFinalizer] }, "to remove the finalizer when the agent serves nothing"),
    ...mayLetGo,
  ],
  ...lettingGo(agents, "routers and networks of OpenStack", movingKey),
  act: (context) => letGo(context, context.moving?.disabled),
});
