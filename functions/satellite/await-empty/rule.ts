import { on, rule } from "../../../shared/rule.ts";
import { whileDeleting } from "../../../shared/sweep.ts";
import { LinstorSatellite } from "../lib/kinds.ts";
import { linstor } from "../lib/linstor/system.ts";
import { type LeavingSeen, lookAtChain, type SatelliteSeen } from "../lib/look.ts";
import { mayLook } from "../lib/permissions.ts";
import { satelliteFinalizer } from "../lib/satellite.ts";
import { common } from "../lib/settings.ts";
import { chainSteps, decideStep } from "../lib/step-rule.ts";
import { isGoing, satellitesIn } from "../lib/subjects.ts";

const name = "satellite/await-empty";

/** Satellites with what their evacuation depends on. */
export type Facts = readonly (SatelliteSeen | LeavingSeen)[];

export const awaitEmpty = rule({
  name,
  doc: "Holds an evacuation until LINSTOR has nothing left on the node, and all that was there has its copies elsewhere.",
  settings: common,
  common,
  wakes: [on(LinstorSatellite, ["update"])],
  may: mayLook(),
  sweep: [whileDeleting(LinstorSatellite, satelliteFinalizer)],
  steps: chainSteps,
  systems: { linstor },
  subjects: (hint) => satellitesIn(hint, name, isGoing),
  look: (subject, view): Promise<Facts> => lookAtChain(subject, view),
  decide: (facts: Facts, now) => decideStep("await-empty", facts, now, (turn) => [turn.wait()]),
});
