import { chainRule } from "../../../shared/chain/chain-rule.ts";
import { silent } from "../../../shared/steps.ts";
import { agentEviction, enableAgent, enabler, isSettled, mayBeEnabled } from "../lib/agent-eviction.ts";
import { forget, settling } from "../lib/dependent.ts";
import { agents } from "../lib/kinds.ts";
import { abandonKey, approvalKey, movingKey } from "../lib/names.ts";
import { mayLookAtAgents } from "../lib/permissions.ts";
import { isComing } from "../lib/without-pod.ts";

export const enableAgentRule = chainRule(agentEviction, "enable-agent", {
  doc: "Enables an agent that Holdfast has disabled, if the agent is to stay after all.",
  permissions: mayLookAtAgents(
    agents,
    { annotations: [movingKey, abandonKey, approvalKey] },
    "to remove the notes of its eviction when it is to stay",
  ),
  steps: { settling: silent },
  act: (context) => {
    const { object, facts, wanted, isAsked, standing, now, about, shows, call, wait } = context;
    if (facts.at === "unreported") return [wait()];
    if (facts.at === "seen" && !isSettled(facts))
      return [mayBeEnabled(facts) ? call("The agent is enabled again.", enableAgent(facts, true)) : wait()];
    // The record brings it back here until its pod has come, of which no event is sent.
    if (!isAsked && isComing(context)) return [wait()];
    const over = [movingKey, abandonKey, ...(wanted === "stay" ? [approvalKey] : [])];
    const writes = [...(isAsked ? [] : forget(object, over)), ...shows()];
    return [about.write(standing.message, writes, settling(object, enabler, now))];
  },
});
