import type { Decision } from "../../../shared/decision.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { on, rule } from "../../../shared/rule.ts";
import { normal, warning } from "../../../shared/steps.ts";
import { type ChainFacts, chainRule } from "../lib/chain-rule.ts";
import { listed } from "../lib/data/copies.ts";
import { unmarked } from "../lib/evacuation.ts";
import { LinstorSatellite, onMachine, VolumeAttachment } from "../lib/kinds.ts";
import { marksFor, nodeNameProblem } from "../lib/marks.ts";
import { conditions } from "../lib/names.ts";
import { mayStep } from "../lib/permissions.ts";
import { conditionWrites } from "../lib/satellite.ts";
import { slotOf } from "../lib/slots.ts";
import { chainSteps, decideStep, reportWrites, type StepContext } from "../lib/step-rule.ts";
import { isGoing, ofAttachment, ofMachine, ofVolume, satellitesIn } from "../lib/subjects.ts";
import { aboutVolume } from "../lib/volumes/about-volume.ts";
import type { PersistentVolumeObject, VolumeFacts } from "../lib/volumes/volume-facts.ts";

const name = "satellite/mark";

export const mark = rule({
  name,
  doc:
    "Begins the evacuation of a satellite when there is a slot for it, and marks the volumes that are attached on " +
    "its node, so that they may be attached elsewhere.",
  ...chainRule,
  wakes: [
    on(LinstorSatellite, ["add", "update"]),
    ...onMachine(["update"]),
    on(VolumeAttachment, ["add"]),
    on(PersistentVolume, ["add"]),
  ],
  may: mayStep({ volumes: "annotate", events: true }),
  steps: { ...chainSteps, queued: normal("EvacuationQueued"), "name-too-long": warning("NodeNameTooLong") },
  subjects: (hint) => [
    ...satellitesIn(hint, name, isGoing),
    ...ofMachine(hint),
    ...ofAttachment(hint),
    ...(hint.change === "add" ? ofVolume(hint) : []),
  ],
  decide: (facts: ChainFacts, now) => decideStep("mark", facts, now, decide),
});

function decide(context: StepContext): readonly Decision[] {
  const { facts, now, next, record, satellite, volumes, standing, about, contenders, slots } = context;
  // Nothing begins, and nothing goes on: neither a record nor a mark is written.
  if (facts.halted !== undefined)
    return [about.write(facts.halted, reportWrites(context, standing, now), { step: { name: "stuck" }, next })];
  const missing = unmarked(facts);
  if (!record) {
    const { admitted, position, of, before } = slotOf(facts.node, contenders, slots);
    if (!admitted) {
      const message =
        `Waiting for a free evacuation slot (position ${position} of ${of}; ${slots} at a time). Before it: ` +
        `${listed(before)}. Where one of them does not go on, kubectl describe linstorsatellite says what it waits ` +
        "for.";
      const report = { type: conditions.evacuated, status: "False", reason: "Waiting", message } as const;
      return [about.write(message, conditionWrites(satellite, [report], now), { step: { name: "queued" }, next })];
    }
    // What stands in the way of the next step is said by it.
    if (missing.length === 0)
      return [context.act(`The evacuation of LinstorSatellite ${facts.node} begins: no volume has to be marked.`, [])];
  }
  if (missing.length === 0) return [context.wait()];
  const problem = nodeNameProblem(facts.node);
  if (problem)
    return [
      about.write(problem, conditionWrites(satellite, stuckReport(problem), now), { step: { name: "name-too-long" } }),
    ];
  const keys = marksFor(facts.node);
  const marks = missing.flatMap(({ name, waitsSince, localOnly, attachableElsewhere }): Write[] => {
    const volume = volumes.get(name);
    if (!volume) return [];
    const since = waitsSince === undefined ? { [keys.since]: new Date(now).toISOString() } : {};
    const override = localOnly || !attachableElsewhere ? { [keys.override]: "true" } : {};
    return [annotate(PersistentVolume, volume, { [keys.waits]: "true", ...since, ...override })];
  });
  return [
    context.act(standing.because, marks),
    ...missing.flatMap((one) => shown(one, volumes.get(one.name), facts.node)),
  ];
}

/** Events by piraeus-operator's reasons, on the claim of a volume, or on the volume where nothing has claimed it. */
function shown(
  { name, localOnly, attachableElsewhere }: VolumeFacts,
  volume: PersistentVolumeObject | undefined,
  node: string,
): readonly Decision[] {
  if (!volume) return [];
  const at = aboutVolume(volume);
  const title = `PersistentVolume ${name}`;
  const moves = `${title} is to be attached to another Node, because the satellite on ${node} is evacuated.`;
  const anywhere = `${title} may be used on any Node until the satellite on ${node} is evacuated.`;
  return [
    at.record(moves, normal("VolumeEvacuating")),
    ...(localOnly || !attachableElsewhere ? [at.record(anywhere, normal("VolumeTemporarilyMadeReschedulable"))] : []),
  ];
}

const stuckReport = (message: string) =>
  [conditions.evacuated, conditions.documented].map(
    (type) => ({ type, status: "False", reason: "Error", message: `Error: ${message}` }) as const,
  );
