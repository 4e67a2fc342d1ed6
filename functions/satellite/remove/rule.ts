import type { Decision } from "../../../shared/decision.ts";
import { removeFinalizer } from "../../../shared/kubernetes/finalizer.ts";
import { on, rule } from "../../../shared/rule.ts";
import { silent } from "../../../shared/steps.ts";
import { whileDeleting } from "../../../shared/sweep.ts";
import { deleteNode, loseNode } from "../lib/commands.ts";
import { mayRemove } from "../lib/data/may-remove.ts";
import { LinstorSatellite } from "../lib/kinds.ts";
import { linstor } from "../lib/linstor/system.ts";
import { type LeavingSeen, lookAtChain, type SatelliteSeen } from "../lib/look.ts";
import { mayLook } from "../lib/permissions.ts";
import { registrationUntil } from "../lib/registration.ts";
import { satelliteFinalizer } from "../lib/satellite.ts";
import { common } from "../lib/settings.ts";
import { chainSteps, decideStep, nextLook, reportWrites, type Turn } from "../lib/step-rule.ts";
import { isGoing, satellitesIn } from "../lib/subjects.ts";

const name = "satellite/remove";

/** Satellites with what their evacuation depends on. */
export type Facts = readonly (SatelliteSeen | LeavingSeen)[];

export const remove = rule({
  name,
  doc: "Removes an evacuated satellite from LINSTOR, and lets the LinstorSatellite go when LINSTOR does not list it any more.",
  settings: common,
  common,
  wakes: [on(LinstorSatellite, ["update"])],
  may: mayLook(),
  sweep: [whileDeleting(LinstorSatellite, satelliteFinalizer)],
  steps: { ...chainSteps, removing: silent },
  systems: { linstor },
  subjects: (hint) => satellitesIn(hint, name, isGoing),
  look: (subject, view): Promise<Facts> => lookAtChain(subject, view),
  decide: (facts: Facts, now) => decideStep("remove", facts, now, decide),
});

function decide(turn: Turn): readonly Decision[] {
  const { satellite, facts, standing, now, about } = turn;
  const { data, abandoned } = facts;
  if (!facts.satellite.deleting) return [turn.wait()];
  if (!abandoned && !data && registrationUntil(satellite, now) !== undefined) return [turn.wait()];
  if (!data || abandoned)
    return [about.write(standing.because, [removeFinalizer(LinstorSatellite, satellite, satelliteFinalizer)])];
  const removal = mayRemove(data);
  if (removal.do !== "act") return [turn.wait()];
  const { name: node } = data.node;
  return [
    about.call(removal.because, {
      step: { name: "removing" },
      writes: reportWrites(turn, standing, now),
      command: removal.by === "lose" ? loseNode({ node }) : deleteNode({ node }),
      next: nextLook(satellite, name, now),
    }),
  ];
}
