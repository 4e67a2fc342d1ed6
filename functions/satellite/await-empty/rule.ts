import { chainRule } from "../../../shared/chain/chain-rule.ts";
import { copiesKey, copiesWrites } from "../lib/copies-note.ts";
import { evacuation } from "../lib/evacuation.ts";
import { mayStep } from "../lib/satellite-rule.ts";

export const awaitEmpty = chainRule(evacuation, "await-empty", {
  doc:
    "Holds an evacuation until LINSTOR has nothing left on the node, and all that was there has its copies " +
    "elsewhere.",
  permissions: mayStep({
    why: "to see how far the move of its data is, and to note where the copies are and when it is looked at next",
    writes: { annotations: [copiesKey] },
    events: "the satellite",
  }),
  act: ({ satellite, facts, wait }) => [wait(facts.is === "ready" ? copiesWrites(satellite, facts.data) : [])],
});
