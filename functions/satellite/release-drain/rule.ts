import { about } from "../../../shared/about.ts";
import { rule } from "../../../shared/rule.ts";
import { normal } from "../../../shared/steps.ts";
import { type ChainFacts, chainRule } from "../lib/chain-rule.ts";
import { setHooks } from "../lib/machine.ts";
import { preDrainHook } from "../lib/names.ts";
import { mayStep } from "../lib/permissions.ts";
import { decideStep, passedSteps } from "../lib/step-rule.ts";
import { isGoing, satellitesIn } from "../lib/subjects.ts";

const name = "satellite/release-drain";

export const releaseDrain = rule({
  name,
  doc: "Lets Cluster API drain the Node of a satellite whose volumes may go elsewhere, and whose neighbours are ready.",
  ...chainRule,
  may: mayStep({ machines: "annotate", events: true }),
  steps: passedSteps,
  subjects: (hint) => satellitesIn(hint, name, isGoing),
  decide: (facts: ChainFacts, now) =>
    decideStep("release-drain", facts, now, (context) => {
      const { machine, standing } = context;
      if (!machine) return [context.act(standing.because, [])];
      const hook = setHooks(machine, { [preDrainHook]: null });
      const note =
        context.facts.abandoned ??
        `The volumes of Node ${context.facts.node} may be attached to other Nodes: it may be drained.`;
      return [
        context.act(standing.because, [hook]),
        about(machine.kind, machine.object).record(note, normal("SatelliteAllowedToBeDrained")),
      ];
    }),
});
