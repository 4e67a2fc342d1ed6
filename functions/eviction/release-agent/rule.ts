import { chainRule } from "../../../shared/chain/chain-rule.ts";
import { removeFinalizer } from "../../../shared/kubernetes/finalizer.ts";
import { agentEviction } from "../lib/agent-eviction.ts";
import { agents, kindOf } from "../lib/kinds.ts";
import { agentFinalizer, movingKey } from "../lib/names.ts";
import { mayLetGo, mayLookAtAgents } from "../lib/permissions.ts";
import { letGo, lettingGo, seeSharer } from "../lib/release.ts";

export const releaseAgent = chainRule(agentEviction, "release-agent", {
  doc: "Deletes the pods of an agent that serves nothing, then removes its lock, and releases the resource last.",
  permissions: [
    ...mayLookAtAgents(agents, { finalizers: [agentFinalizer] }, "to remove the finalizer when it serves nothing"),
    ...mayLetGo(agents),
  ],
  ...lettingGo(agents, "routers and networks of OpenStack", movingKey),
  look: (_, { client }, look) => seeSharer(client, look),
  act: (context, { sharer }) => {
    const { object, moving } = context;
    return letGo(context, moving?.disabled, removeFinalizer(kindOf(object), object, agentFinalizer), sharer);
  },
});
