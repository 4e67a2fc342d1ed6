import { about } from "../../../shared/about.ts";
import { chainRule, type Seen } from "../../../shared/chain/chain-rule.ts";
import type { Decision } from "../../../shared/decision.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { on } from "../../../shared/rule.ts";
import { isObject } from "../../../shared/subject.ts";
import { resync, whileDeleting } from "../../../shared/sweep.ts";
import { evacuation } from "../lib/evacuation.ts";
import type { EvacuationFacts, SatelliteInChain } from "../lib/evacuation-facts.ts";
import { LinstorSatellite } from "../lib/kinds.ts";
import { markedIn } from "../lib/marked-satellites.ts";
import { satelliteFinalizer } from "../lib/satellite.ts";
import { mayStep } from "../lib/satellite-rule.ts";
import { satelliteNamed } from "../lib/subjects.ts";
import { lookAtVolumes, marksOn, type PersistentVolumeObject } from "../lib/volumes.ts";

/** Satellites; and volumes that carry marks of a node that is not being evacuated. */
export interface Facts extends Seen<SatelliteInChain, EvacuationFacts> {
  readonly stale: readonly { readonly node: string; readonly volume: PersistentVolumeObject }[];
}

export const unmark = chainRule(evacuation, "unmark", {
  doc: "Removes the marks of an evacuation from volumes, when it is complete and when it is given up.",
  triggers: [on(LinstorSatellite, ["update", "delete"]), on(PersistentVolume, ["add", "update"])],
  permissions: mayStep({
    why: "to see whether its evacuation is over, and to note when it is looked at next",
    marks: ["waits", "since", "override"],
    whyVolumes: "to find volumes with marks of an evacuation that is over, and to remove the marks",
    events: "the satellite and its volumes",
  }),
  sweep: [whileDeleting(LinstorSatellite, satelliteFinalizer), resync(PersistentVolume)],
  subjects: (hint, own) => {
    const isGone = hint.kind === LinstorSatellite.kind && hint.change === "delete";
    return [...(isGone ? [satelliteNamed(hint.name)] : own), ...markedIn(hint)];
  },
  look: async (subject, { client }, look): Promise<Facts> => {
    const seen = await look();
    const node = isObject(subject) ? subject.name : undefined;
    if (!node || mayNeedMarks(seen)) return { seen, stale: [] };
    const { objects } = await lookAtVolumes(client, node);
    const marked = [...objects.values()].filter(({ metadata }) => marksOn(metadata.annotations, node).length > 0);
    if (marked.length === 0) return { seen, stale: [] };
    // They may be those of an evacuation that has begun since.
    const again = await look();
    return { seen: again, stale: mayNeedMarks(again) ? [] : marked.map((volume) => ({ node, volume })) };
  },
  beside: ({ stale }) =>
    stale.map(({ node, volume }): Decision => {
      const { name } = volume.metadata;
      const message = `PersistentVolume ${name} loses the marks of ${node}, which is not being evacuated.`;
      return about(PersistentVolume, volume).write(message, [withoutMarks(volume, node)]);
    }),
  act: ({ act, standing, facts }) => {
    const marked = facts.volumes.filter(({ marked }) => marked).flatMap(({ name }) => facts.objects.get(name) ?? []);
    return [
      act(
        standing.message,
        marked.map((volume) => withoutMarks(volume, facts.node)),
      ),
    ];
  },
});

/** What cannot be judged is left: an evacuation whose facts are not known may need its marks. */
const mayNeedMarks = (seen: Facts["seen"]) =>
  seen.some(({ facts }) => facts.is !== "outside" || facts.undecided === true);

function withoutMarks(volume: PersistentVolumeObject, node: string): Write {
  const keys = marksOn(volume.metadata.annotations, node);
  return annotate(PersistentVolume, volume, Object.fromEntries(keys.map((key) => [key, null])));
}
