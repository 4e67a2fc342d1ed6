import { about } from "../../../shared/about.ts";
import { stepOf } from "../../../shared/chain/chain.ts";
import { chainRule } from "../../../shared/chain/chain-rule.ts";
import type { Decision } from "../../../shared/decision.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import { readProgress } from "../../../shared/progress.ts";
import { on } from "../../../shared/rule.ts";
import { normal, warning } from "../../../shared/steps.ts";
import { evacuation, reattached, steps } from "../lib/evacuation.ts";
import type { EvacuationFacts, LookedSatellite } from "../lib/evacuation-facts.ts";
import { LinstorSatellite, VolumeAttachment } from "../lib/kinds.ts";
import { markedIn } from "../lib/marked-satellites.ts";
import { mayStep } from "../lib/satellite-rule.ts";
import { ofReattachment } from "../lib/subjects.ts";
import { aboutVolume, marksFor } from "../lib/volumes.ts";

export const awaitReattach = chainRule(evacuation, "await-reattach", {
  doc:
    "Holds an evacuation until the volumes that were attached on the node are attached elsewhere, " +
    "or no pod uses them.",
  triggers: [
    on(LinstorSatellite, ["update"]),
    on(VolumeAttachment, ["update", "delete"]),
    on(PersistentVolume, ["update", "delete"]),
  ],
  permissions: mayStep({
    why: "to see whether it still waits for volumes, and to note when it is looked at next",
    marks: ["waits", "since"],
    whyVolumes: "to find volumes that are waited for, and to remove the marks of those that are attached elsewhere",
    events: "the satellite and its volumes",
  }),
  subjects: (hint, own) => [...own, ...ofReattachment(hint), ...markedIn(hint)],
  beside: ({ seen }, now) => seen.flatMap((one) => givenUp(one, now)),
  act: ({ facts, wait }) => [wait(), ...found(facts)],
});

/**
 * Once for each that is attached elsewhere: with the annotations goes what it would be said for again. One that comes
 * back to the node is marked again. What lets it be used on any Node stays until the evacuation is complete.
 */
function found(facts: EvacuationFacts): readonly Decision[] {
  const { waits, since } = marksFor(facts.node);
  return reattached(facts).flatMap(({ name }) => {
    const volume = facts.objects.get(name);
    if (!volume) return [];
    const message = `PersistentVolume ${name} is attached to another Node, and no longer waited for.`;
    return [
      about(PersistentVolume, volume).write(message, [
        annotate(PersistentVolume, volume, { [waits]: null, [since]: null }),
      ]),
      aboutVolume(volume).record(message, normal("VolumeAttachedForEvacuation")),
    ];
  });
}

/** Once: when the wait is over, which its own annotation shows, and a volume is attached nowhere else. */
function givenUp({ satellite, facts }: LookedSatellite, now: number): readonly Decision[] {
  if (facts.is !== "ready" || !readProgress(satellite, awaitReattach.name)) return [];
  if (stepOf(steps, facts, now).step !== "evacuate") return [];
  return facts.volumes
    .filter(({ waits, here, elsewhere, leaving }) => waits && !leaving && (here || !elsewhere))
    .flatMap(({ name }) => {
      const volume = facts.objects.get(name);
      const message =
        `PersistentVolume ${name} was not attached to another Node in time, and the evacuation of ` +
        `${facts.node} goes on without it: its data may be placed where its pod does not run.`;
      return volume ? [aboutVolume(volume).record(message, warning("VolumeNotAttachedForEvacuation"))] : [];
    });
}
