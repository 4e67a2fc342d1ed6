import { rule } from "../../../shared/rule.ts";
import { type ChainFacts, chainRule } from "../lib/chain-rule.ts";
import { setHooks } from "../lib/machine.ts";
import { preTerminateHook } from "../lib/names.ts";
import { mayLook } from "../lib/permissions.ts";
import { chainSteps, decideStep } from "../lib/step-rule.ts";
import { isGoing, satellitesIn } from "../lib/subjects.ts";

const name = "satellite/release-terminate";

export const releaseTerminate = rule({
  name,
  doc:
    "Lets Cluster API shut down the Node of a satellite that is evacuated, " +
    "once no volume carries marks of it any more.",
  ...chainRule,
  may: mayLook({ machines: true }),
  steps: chainSteps,
  subjects: (hint) => satellitesIn(hint, name, isGoing),
  decide: (facts: ChainFacts, now) =>
    decideStep("release-terminate", facts, now, (turn) => [
      turn.act(turn.standing.because, turn.machine ? [setHooks(turn.machine, { [preTerminateHook]: null })] : []),
    ]),
});
