import { rule } from "../../../shared/rule.ts";
import { type ChainFacts, chainRule } from "../lib/chain-rule.ts";
import { mayStep } from "../lib/permissions.ts";
import { chainSteps, decideStep } from "../lib/step-rule.ts";
import { isGoing, satellitesIn } from "../lib/subjects.ts";

const name = "satellite/await-empty";

export const awaitEmpty = rule({
  name,
  doc:
    "Holds an evacuation until LINSTOR has nothing left on the node, and all that was there has its copies " +
    "elsewhere.",
  ...chainRule,
  may: mayStep({ events: true }),
  steps: chainSteps,
  subjects: (hint) => satellitesIn(hint, name, isGoing),
  decide: (facts: ChainFacts, now) => decideStep("await-empty", facts, now, (context) => [context.wait()]),
});
