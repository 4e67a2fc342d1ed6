import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import { on, rule } from "../../../shared/rule.ts";
import { type ChainFacts, chainRule } from "../lib/chain-rule.ts";
import { LinstorSatellite, VolumeAttachment } from "../lib/kinds.ts";
import { mayLook } from "../lib/permissions.ts";
import { chainSteps, decideStep } from "../lib/step-rule.ts";
import { isGoing, markedIn, ofReattachment, satellitesIn } from "../lib/subjects.ts";

const name = "satellite/await-reattach";

export const awaitReattach = rule({
  name,
  doc:
    "Holds an evacuation until the volumes that were attached on the node are attached elsewhere, " +
    "or nobody uses them.",
  ...chainRule,
  wakes: [
    on(LinstorSatellite, ["update"]),
    on(VolumeAttachment, ["update", "delete"]),
    on(PersistentVolume, ["update", "delete"]),
  ],
  may: mayLook(),
  steps: chainSteps,
  subjects: (hint) => [...satellitesIn(hint, name, isGoing), ...ofReattachment(hint), ...markedIn(hint)],
  decide: (facts: ChainFacts, now) => decideStep("await-reattach", facts, now, (turn) => [turn.wait()]),
});
