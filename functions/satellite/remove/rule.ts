import type { Decision } from "../../../shared/decision.ts";
import { removeFinalizer } from "../../../shared/kubernetes/finalizer.ts";
import { rule } from "../../../shared/rule.ts";
import { silent } from "../../../shared/steps.ts";
import { type ChainFacts, chainRule } from "../lib/chain-rule.ts";
import { deleteNode, loseNode } from "../lib/commands.ts";
import { mayRemove } from "../lib/data/may-remove.ts";
import { LinstorSatellite } from "../lib/kinds.ts";
import { mayStep } from "../lib/permissions.ts";
import { registrationUntil } from "../lib/registration.ts";
import { satelliteFinalizer } from "../lib/satellite.ts";
import { chainSteps, decideStep, reportWrites, type StepContext } from "../lib/step-rule.ts";
import { isGoing, satellitesIn } from "../lib/subjects.ts";

const name = "satellite/remove";

export const remove = rule({
  name,
  doc:
    "Removes an evacuated satellite from LINSTOR, and lets the LinstorSatellite go when LINSTOR does not list it " +
    "any more.",
  ...chainRule,
  may: mayStep({ events: true }),
  finalizers: [{ kind: LinstorSatellite, finalizer: satelliteFinalizer }],
  steps: { ...chainSteps, removing: silent },
  subjects: (hint) => satellitesIn(hint, name, isGoing),
  decide: (facts: ChainFacts, now) => decideStep("remove", facts, now, decide),
});

function decide(context: StepContext): readonly Decision[] {
  const { satellite, facts, standing, now, next, about, controller: at } = context;
  const { data, abandoned } = facts;
  if (!facts.satellite.deleting) return [context.wait()];
  if (!abandoned && !data && registrationUntil(satellite, now) !== undefined) return [context.wait()];
  if (!data || abandoned)
    return [about.write(standing.because, [removeFinalizer(LinstorSatellite, satellite, satelliteFinalizer)])];
  const removal = mayRemove(data);
  if (removal.do !== "act") return [context.wait()];
  const { name: node } = data.node;
  return [
    about.call(removal.because, {
      step: { name: "removing" },
      writes: reportWrites(context, standing, now),
      command: removal.by === "lose" ? loseNode({ at, node }) : deleteNode({ at, node }),
      next,
    }),
  ];
}
