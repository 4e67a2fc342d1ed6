import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import { readProgress } from "../../../shared/progress.ts";
import { on, rule } from "../../../shared/rule.ts";
import { normal, warning } from "../../../shared/steps.ts";
import { type ChainFacts, chainRule } from "../lib/chain-rule.ts";
import { reattached } from "../lib/evacuation.ts";
import { LinstorSatellite, VolumeAttachment } from "../lib/kinds.ts";
import type { LeavingSeen } from "../lib/look.ts";
import { marksFor } from "../lib/marks.ts";
import { mayStep } from "../lib/permissions.ts";
import { decideStep, passedSteps, type StepContext, standingOf } from "../lib/step-rule.ts";
import { isGoing, markedIn, ofReattachment, satellitesIn } from "../lib/subjects.ts";
import { aboutVolume } from "../lib/volumes/about-volume.ts";

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
  may: mayStep({ volumes: "annotate", events: true }),
  steps: passedSteps,
  subjects: (hint) => [...satellitesIn(hint, name, isGoing), ...ofReattachment(hint), ...markedIn(hint)],
  decide: (facts: ChainFacts, now) => [
    ...facts.flatMap((seen) => ("facts" in seen ? givenUp(seen, now) : [])),
    ...decideStep("await-reattach", facts, now, (context) => [context.wait(), ...found(context)]),
  ],
});

/**
 * Once for each that is attached elsewhere: with the annotations goes what it would be said for again. One that comes
 * back to the node is marked anew. What lets it be used on any Node stays until the evacuation is complete.
 */
function found({ facts, volumes }: StepContext): readonly Decision[] {
  const { waits, since } = marksFor(facts.node);
  return reattached(facts).flatMap(({ name }) => {
    const volume = volumes.get(name);
    if (!volume) return [];
    const because = `PersistentVolume ${name} is attached to another Node, and no longer waited for.`;
    return [
      about(PersistentVolume, volume).write(because, [
        annotate(PersistentVolume, volume, { [waits]: null, [since]: null }),
      ]),
      aboutVolume(volume).record(because, normal("VolumeAttachedForEvacuation")),
    ];
  });
}

/** Once: when the wait is over, which its own annotation shows, and a volume is attached nowhere else. */
function givenUp(seen: LeavingSeen, now: number): readonly Decision[] {
  if (!readProgress(seen.satellite, name) || standingOf(seen, now).step !== "evacuate") return [];
  return seen.facts.volumes
    .filter(({ waits, here, elsewhere, leaving }) => waits && !leaving && (here || !elsewhere))
    .flatMap((facts) => {
      const volume = seen.volumes.get(facts.name);
      const because =
        `PersistentVolume ${facts.name} was not attached to another Node in time, and the evacuation of ` +
        `${seen.facts.node} goes on without: its data may be placed where its pod does not run.`;
      return volume ? [aboutVolume(volume).record(because, warning("VolumeNotAttachedForEvacuation"))] : [];
    });
}
