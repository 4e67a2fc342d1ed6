import { chainRule, type Seen, type StepContext } from "../../../shared/chain/chain-rule.ts";
import type { Decision } from "../../../shared/decision.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import { Lease, type LeaseObject } from "../../../shared/kubernetes/lease.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { mayTakeLease } from "../../../shared/may-take-lease.ts";
import { ownNamespace } from "../../../shared/own-namespace.ts";
import { readProgress } from "../../../shared/progress.ts";
import { awayNameOf, on } from "../../../shared/rule.ts";
import { normal, warning } from "../../../shared/steps.ts";
import { labelled } from "../../../shared/sweep.ts";
import { evacuation, isToBeNoted, isWaitEnded, lacksOverride, lacksWait, unmarked } from "../lib/evacuation.ts";
import type { EvacuationFacts, SatelliteInChain } from "../lib/evacuation-facts.ts";
import { LinstorSatellite, onMachine, VolumeAttachment } from "../lib/kinds.ts";
import { linstorKey } from "../lib/linstor-note.ts";
import { machineLeavesLabel, preTerminateHook } from "../lib/machine.ts";
import { recordKey, recordWrites } from "../lib/record.ts";
import { conditions, conditionWrites } from "../lib/satellite.ts";
import { mayStep } from "../lib/satellite-rule.ts";
import { ofAttachment, ofMachine, ofVolume } from "../lib/subjects.ts";
import {
  aboutVolume,
  marksFor,
  nodeNameProblem,
  type PersistentVolumeObject,
  type VolumeFacts,
} from "../lib/volumes.ts";
import { type Beginning, beginningOf, completedSince, isTooLate, leaseName, lookAround } from "./may-begin.ts";

/** The note in which set-hooks says why the Machine could not be changed. */
const hooksAway = awayNameOf({ name: "satellite/set-hooks" });

export const mark = chainRule(evacuation, "mark", {
  doc:
    "Begins the evacuation of a satellite when a person agrees or need not, a window is open, and budget and slots " +
    "have room, and marks the volumes that are attached on its node, so that they may be attached elsewhere.",
  triggers: [
    on(LinstorSatellite, ["add", "update"]),
    ...onMachine(["update"]),
    on(VolumeAttachment, ["add"]),
    on(PersistentVolume, ["add"]),
  ],
  sweep: [...evacuation.rule.sweep, labelled(LinstorSatellite, machineLeavesLabel)],
  permissions: [
    ...mayStep({
      why: "to count the evacuations that are under way, and to note that this one begins",
      writes: { annotations: [recordKey, linstorKey] },
      marks: ["waits", "since", "override"],
      whyVolumes: "to find volumes that are attached on the Node, and to mark those that must be attached elsewhere",
      events: "the satellite and its volumes",
    }),
    ...mayTakeLease(leaseName, "to let one evacuation begin at a time", { fields: ["spec"] }),
  ],
  steps: { queued: normal("EvacuationQueued"), "name-too-long": warning("NodeNameTooLong") },
  subjects: (hint, own) => [
    ...own,
    ...ofMachine(hint),
    ...ofAttachment(hint),
    ...(hint.change === "add" ? ofVolume(hint) : []),
  ],
  look: async (_, { client, settings }, look): Promise<Seen<SatelliteInChain, EvacuationFacts> & Beginning> => {
    const namespace = ownNamespace();
    const lease = await client.get<LeaseObject>(Lease, namespace, leaseName);
    const seen = await look();
    const isAsked = seen.some(({ facts }) => "begun" in facts && !facts.begun);
    return { ...(await lookAround(isAsked, client, settings)), lease, namespace, seen };
  },
  act,
});

function act(context: StepContext<SatelliteInChain, EvacuationFacts>, around: Beginning): readonly Decision[] {
  const { facts, now, next, satellite, standing, isAway, about, pause, shows } = context;
  const taken: Write[] = [];
  const missing = unmarked(facts);
  const problem = nodeNameProblem(facts.node);
  // A Machine without our hooks is made to wait before its evacuation begins, or never, also where only the satellite
  // is being deleted: the Machine may be deleted later. Once it has begun they are never set.
  const isLetGo = facts.is === "abandoned" && facts.satellite.deleting;
  const isHeld = !facts.machine || isLetGo || facts.hooks?.preTerminate || isTooLate(satellite) || problem;
  if (!facts.begun && !isHeld) {
    const { namespace, name } = facts.machine?.object.metadata ?? {};
    const refused = readProgress(satellite, hooksAway);
    const byHand =
      "To hold the Machine at once, run in Cluster API's cluster: " +
      `\`kubectl annotate machine ${name} -n ${namespace} ${preTerminateHook}=\``;
    const message =
      `Waiting until Machine ${namespace}/${name} has Holdfast's hooks: without them it would be shut down before ` +
      `its data is elsewhere.${refused ? ` ${refused.because} ${byHand}` : ""}`;
    // The sweep comes back to what set-hooks has noted, and an update of the satellite follows when that is over.
    return [pause(message, refused ? undefined : next)];
  }
  if (!facts.begun) {
    const beginning = beginningOf(context, around);
    if ("message" in beginning) {
      const { message, step: name, writes = [], ...due } = beginning;
      const report = { type: conditions.evacuated, status: "False", reason: "Waiting", message } as const;
      const shown = isAway ? [] : conditionWrites(satellite, [report], now);
      return [about.write(message, [...shown, ...writes], { step: { name }, ...due })];
    }
    taken.push(...beginning.writes);
  } else if (isToBeNoted(facts)) {
    const message = `LinstorSatellite ${facts.node} gets a note that says in which LINSTOR its node is.`;
    return [about.write(message, [annotate(LinstorSatellite, satellite, facts.note)], { progress: "unchanged" })];
  }
  // The record comes first, and where the node is with it: hooks that were released are not put back where it is.
  const former = facts.begun ? {} : { former: completedSince(satellite) };
  const record = [...taken, ...recordWrites(satellite, now, former, facts.note)];
  if (missing.length === 0) return [facts.begun ? context.wait() : context.act(standing.message, [], record)];
  if (problem)
    return [about.write(problem, shows({ message: problem, stuck: true }), { step: { name: "name-too-long" } })];
  const keys = marksFor(facts.node);
  const marks = missing.flatMap((one): Write[] => {
    const { name, waitsSince, localOnly, attachableElsewhere } = one;
    const volume = facts.objects.get(name);
    if (!volume) return [];
    const waits = isWaitEnded(one) ? {} : { [keys.waits]: "true" };
    const since = waitsSince === undefined ? { [keys.since]: new Date(now).toISOString() } : {};
    const override = localOnly || !attachableElsewhere ? { [keys.override]: "true" } : {};
    return [annotate(PersistentVolume, volume, { ...waits, ...since, ...override })];
  });
  return [
    context.act(standing.message, marks, record),
    ...missing.flatMap((one) => shown(one, facts.objects.get(one.name), facts.node)),
  ];
}

/**
 * Events of the marks that a volume gets, by piraeus-operator's reasons, on its claim, or on the volume where nothing
 * has claimed it.
 */
function shown(one: VolumeFacts, volume: PersistentVolumeObject | undefined, node: string): readonly Decision[] {
  if (!volume) return [];
  const at = aboutVolume(volume);
  const title = `PersistentVolume ${one.name}`;
  const moves = `${title} is to be attached to another Node, because the satellite on ${node} is evacuated.`;
  const anywhere = `${title} may be used on any Node until the satellite on ${node} is evacuated.`;
  return [
    ...(lacksWait(one) ? [at.record(moves, normal("VolumeEvacuating"))] : []),
    ...(lacksOverride(one) ? [at.record(anywhere, normal("VolumeTemporarilyMadeReschedulable"))] : []),
  ];
}
