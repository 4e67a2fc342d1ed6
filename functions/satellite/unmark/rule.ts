import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { on, rule } from "../../../shared/rule.ts";
import { isObject } from "../../../shared/subject.ts";
import { resync, whileDeleting } from "../../../shared/sweep.ts";
import { LinstorSatellite } from "../lib/kinds.ts";
import { linstor } from "../lib/linstor/system.ts";
import { type LeavingSeen, lookAtChain, lookAtVolumes, type SatelliteSeen } from "../lib/look.ts";
import { marksOn } from "../lib/marks.ts";
import { mayStep } from "../lib/permissions.ts";
import { satelliteFinalizer } from "../lib/satellite.ts";
import { satelliteRule } from "../lib/satellite-rule.ts";
import { decideStep, passedSteps } from "../lib/step-rule.ts";
import { isGoing, markedIn, satelliteNamed, satellitesIn } from "../lib/subjects.ts";
import type { PersistentVolumeObject } from "../lib/volumes/volume-facts.ts";

const name = "satellite/unmark";

/** Satellites; and volumes that carry marks of a node that is not being evacuated. */
export interface Facts {
  readonly seen: readonly (SatelliteSeen | LeavingSeen)[];
  readonly stale: readonly { readonly node: string; readonly volume: PersistentVolumeObject }[];
}

export const unmark = rule({
  name,
  doc:
    "Removes the marks of an evacuation from volumes: when it is complete, and when it is given up, " +
    "by whatever way.",
  ...satelliteRule,
  wakes: [on(LinstorSatellite, ["update", "delete"]), on(PersistentVolume, ["add", "update"])],
  may: mayStep({ volumes: "annotate" }),
  sweep: [whileDeleting(LinstorSatellite, satelliteFinalizer), resync(PersistentVolume)],
  steps: passedSteps,
  systems: { linstor },
  subjects: (hint) => {
    const gone = hint.kind === LinstorSatellite.kind && hint.change === "delete";
    return [...(gone ? [satelliteNamed(hint.name)] : satellitesIn(hint, name, isGoing)), ...markedIn(hint)];
  },
  look: async (subject, view): Promise<Facts> => {
    const seen = await lookAtChain(subject, view);
    const node = isObject(subject) ? subject.name : undefined;
    // What cannot be judged is left: an evacuation whose facts are not known may need its marks.
    if (!node || seen.some((one) => one.leaving || one.foreign)) return { seen, stale: [] };
    const { objects } = await lookAtVolumes(view.client, node);
    const marked = [...objects.values()].filter(({ metadata }) => marksOn(metadata.annotations, node).length > 0);
    return { seen, stale: marked.map((volume) => ({ node, volume })) };
  },
  decide: ({ seen, stale }: Facts, now) => [
    ...decideStep("unmark", seen, now, ({ act, standing, facts, volumes }) => {
      const marked = facts.volumes.filter(({ marked }) => marked).flatMap(({ name }) => volumes.get(name) ?? []);
      return [
        act(
          standing.because,
          marked.map((volume) => withoutMarks(volume, facts.node)),
        ),
      ];
    }),
    ...stale.map(({ node, volume }): Decision => {
      const { name } = volume.metadata;
      const because = `PersistentVolume ${name} loses the marks of ${node}, which is not being evacuated.`;
      return about(PersistentVolume, volume).write(because, [withoutMarks(volume, node)]);
    }),
  ],
});

function withoutMarks(volume: PersistentVolumeObject, node: string): Write {
  const keys = marksOn(volume.metadata.annotations, node);
  return annotate(PersistentVolume, volume, Object.fromEntries(keys.map((key) => [key, null])));
}
