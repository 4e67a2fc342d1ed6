import { on, rule } from "../../../shared/rule.ts";
import { whileDeleting } from "../../../shared/sweep.ts";
import { LinstorSatellite } from "../lib/kinds.ts";
import { linstor } from "../lib/linstor/system.ts";
import { type LeavingSeen, lookAtChain, type SatelliteSeen } from "../lib/look.ts";
import { setHooks } from "../lib/machine.ts";
import { preTerminateHook } from "../lib/names.ts";
import { mayLook } from "../lib/permissions.ts";
import { satelliteFinalizer } from "../lib/satellite.ts";
import { common } from "../lib/settings.ts";
import { chainSteps, decideStep } from "../lib/step-rule.ts";
import { isGoing, satellitesIn } from "../lib/subjects.ts";

const name = "satellite/release-terminate";

/** Satellites with what their evacuation depends on. */
export type Facts = readonly (SatelliteSeen | LeavingSeen)[];

export const releaseTerminate = rule({
  name,
  doc: "Lets Cluster API shut down the Node of a satellite that is evacuated, once no volume carries marks of it any more.",
  settings: common,
  common,
  wakes: [on(LinstorSatellite, ["update"])],
  may: mayLook({ machines: true }),
  sweep: [whileDeleting(LinstorSatellite, satelliteFinalizer)],
  steps: chainSteps,
  systems: { linstor },
  subjects: (hint) => satellitesIn(hint, name, isGoing),
  look: (subject, view): Promise<Facts> => lookAtChain(subject, view),
  decide: (facts: Facts, now) =>
    decideStep("release-terminate", facts, now, (turn) => [
      turn.act(turn.standing.because, turn.machine ? [setHooks(turn.machine, { [preTerminateHook]: null })] : []),
    ]),
});
