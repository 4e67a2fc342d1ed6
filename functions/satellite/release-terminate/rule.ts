import { about } from "../../../shared/about.ts";
import { rule } from "../../../shared/rule.ts";
import { normal } from "../../../shared/steps.ts";
import { type ChainFacts, chainRule } from "../lib/chain-rule.ts";
import { setHooks } from "../lib/machine.ts";
import { preTerminateHook } from "../lib/names.ts";
import { mayStep } from "../lib/permissions.ts";
import { decideStep, passedSteps } from "../lib/step-rule.ts";
import { isGoing, satellitesIn } from "../lib/subjects.ts";

const name = "satellite/release-terminate";

export const releaseTerminate = rule({
  name,
  doc:
    "Lets Cluster API shut down the Node of a satellite that is evacuated, once no volume carries marks of it any " +
    "more.",
  ...chainRule,
  may: mayStep({ machines: "annotate", events: true }),
  steps: passedSteps,
  subjects: (hint) => satellitesIn(hint, name, isGoing),
  decide: (facts: ChainFacts, now) =>
    decideStep("release-terminate", facts, now, (context) => {
      const { machine, standing } = context;
      if (!machine) return [context.act(standing.because, [])];
      const hook = setHooks(machine, { [preTerminateHook]: null });
      const note =
        context.facts.abandoned ??
        `The satellite on Node ${context.facts.node} is evacuated: the Node may be shut down.`;
      return [
        context.act(standing.because, [hook]),
        about(machine.kind, machine.object).record(note, normal("SatelliteAllowedToBeRemoved")),
      ];
    }),
});
