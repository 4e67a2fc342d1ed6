import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import { on, rule } from "../../../shared/rule.ts";
import { whileDeleting } from "../../../shared/sweep.ts";
import { LinstorSatellite, VolumeAttachment } from "../lib/kinds.ts";
import { linstor } from "../lib/linstor/system.ts";
import { type LeavingSeen, lookAtChain, type SatelliteSeen } from "../lib/look.ts";
import { mayLook } from "../lib/permissions.ts";
import { satelliteFinalizer } from "../lib/satellite.ts";
import { common } from "../lib/settings.ts";
import { chainSteps, decideStep } from "../lib/step-rule.ts";
import { isGoing, markedIn, ofReattachment, satellitesIn } from "../lib/subjects.ts";

const name = "satellite/await-reattach";

/** Satellites with what their evacuation depends on. */
export type Facts = readonly (SatelliteSeen | LeavingSeen)[];

export const awaitReattach = rule({
  name,
  doc: "Holds an evacuation until the volumes that were attached on the node are attached elsewhere, or nobody uses them.",
  settings: common,
  common,
  wakes: [
    on(LinstorSatellite, ["update"]),
    on(VolumeAttachment, ["update", "delete"]),
    on(PersistentVolume, ["update", "delete"]),
  ],
  may: mayLook(),
  sweep: [whileDeleting(LinstorSatellite, satelliteFinalizer)],
  steps: chainSteps,
  systems: { linstor },
  subjects: (hint) => [...satellitesIn(hint, name, isGoing), ...ofReattachment(hint), ...markedIn(hint)],
  look: (subject, view): Promise<Facts> => lookAtChain(subject, view),
  decide: (facts: Facts, now) => decideStep("await-reattach", facts, now, (turn) => [turn.wait()]),
});
