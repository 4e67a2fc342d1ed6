import { chainRule } from "../../../shared/chain/chain-rule.ts";
import { on } from "../../../shared/rule.ts";
import { whileDeleting } from "../../../shared/sweep.ts";
import { agentEviction, enableAgent } from "../lib/agent-eviction.ts";
import { noteMoving, takeBackMoving } from "../lib/agent-plan.ts";
import { servingAgents } from "../lib/kinds.ts";
import { emptyTwiceAfter } from "../lib/let-go.ts";
import { agentFinalizer, movingKey } from "../lib/names.ts";
import { mayLookAtAgents } from "../lib/permissions.ts";

export const disableAgent = chainRule(agentEviction, "disable-agent", {
  doc: "Disables an agent that serves nothing, so that Neutron gives it nothing, and looks at it once more.",
  permissions: mayLookAtAgents(servingAgents, { annotations: [movingKey] }, "to note when it was disabled"),
  triggers: servingAgents.map((kind) => on(kind, ["update"])),
  sweep: servingAgents.map((kind) => whileDeleting(kind, agentFinalizer)),
  act: ({ object, facts, moving, standing, now, call, pause, wait }) => {
    if (facts.at !== "seen") return [wait()];
    const { self, at } = facts.host;
    const since = Date.parse(moving?.disabled ?? "");
    // What was asked last may still be carried out.
    if (self.isEnabled && since + emptyTwiceAfter > at) return [wait()];
    const { moved } = facts.plan;
    const record = { agent: self.id, ...moving, moved, moving: {}, disabled: new Date(at).toISOString() };
    if (!self.isEnabled) {
      const note = moving?.disabled ? [] : [noteMoving(object, record)];
      const again = now + Math.max((moving?.disabled ? since : at) + emptyTwiceAfter - at, 1000);
      return [pause(standing.message, again, note)];
    }
    const unsent = takeBackMoving(object, record);
    return [call(standing.message, enableAgent(facts, false), [noteMoving(object, record)], { unsent })];
  },
});
