import { about } from "../../../shared/about.ts";
import { wasJustCalled } from "../../../shared/chain/call-in-flight.ts";
import { chainRule, type StepContext } from "../../../shared/chain/chain-rule.ts";
import type { Looked } from "../../../shared/chain/facts.ts";
import type { Decision } from "../../../shared/decision.ts";
import { removeFinalizer } from "../../../shared/kubernetes/finalizer.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { silent } from "../../../shared/steps.ts";
import { deleteNode, loseNode } from "../lib/commands.ts";
import { isBare, mayRemove } from "../lib/data/emptiness.ts";
import { evacuation } from "../lib/evacuation.ts";
import type { EvacuationFacts, SatelliteInChain } from "../lib/evacuation-facts.ts";
import { LinstorSatellite } from "../lib/kinds.ts";
import { noteRemoval, withdrawCall, withdrawProof } from "../lib/note-removal.ts";
import { readRemoval, registrationKey, registrationPending, removalKey, removalPending } from "../lib/noted-calls.ts";
import { isGoing } from "../lib/record.ts";
import { satelliteFinalizer } from "../lib/satellite.ts";
import { mayStep } from "../lib/satellite-rule.ts";

export const remove = chainRule(evacuation, "remove", {
  doc:
    "Removes an evacuated satellite from LINSTOR, and lets the LinstorSatellite go when LINSTOR does not list it " +
    "any more.",
  permissions: mayStep({
    why: "to note that LINSTOR removes the node, and to remove the finalizer when LINSTOR does not list it",
    writes: { annotations: [registrationKey, removalKey], finalizers: [satelliteFinalizer] },
    events: "the satellite",
  }),
  finalizers: [
    { kind: LinstorSatellite, finalizer: satelliteFinalizer, standsFor: "nodes of LINSTOR", isUnderWay: isGoing },
  ],
  steps: { removing: silent },
  beside: ({ seen }, now) => seen.flatMap((one) => withdrawn(one, now)),
  act,
});

/**
 * A call that LINSTOR did not carry out leaves its note. If the note says that the node was empty, this is false once
 * data comes. If it says that Holdfast gives the node up, a later removal by a person would be taken for Holdfast's.
 */
function withdrawn({ satellite, facts }: Looked<SatelliteInChain, EvacuationFacts>, now: number): readonly Decision[] {
  const data = facts.is === "ready" ? facts.data : undefined;
  if (!data) return [];
  const { name } = satellite.metadata;
  const write = (message: string, change: Write | undefined) =>
    change ? [about(LinstorSatellite, satellite).write(message, [change], { progress: "unchanged" })] : [];
  const proof = isBare(data) ? undefined : withdrawProof(satellite);
  if (proof) return write(`The node of LinstorSatellite ${name} was empty and has got data since.`, proof);
  return write(`LINSTOR still lists the node of LinstorSatellite ${name}.`, withdrawCall(satellite, now));
}

function act(context: StepContext<SatelliteInChain, EvacuationFacts>): readonly Decision[] {
  const { satellite, facts, standing, now, next, about, shows, pause, wait, controller: at } = context;
  if (!facts.satellite.deleting) return [wait()];
  const isUnlisted = facts.is === "ready" && !facts.data;
  const pending = removalPending(satellite, now) ?? (isUnlisted ? registrationPending(satellite, now) : undefined);
  if (pending) {
    const { message, writes } = pending;
    return [about.write(message, [...shows({ message }), ...writes], { step: { name: "waiting" }, next })];
  }
  if (facts.is === "abandoned" || !facts.data)
    return [about.write(standing.message, [removeFinalizer(LinstorSatellite, satellite, satelliteFinalizer)])];
  const removal = mayRemove(facts.data);
  if (removal.do !== "act") return [wait()];
  const { name: node } = facts.data.node;
  if (wasJustCalled(readRemoval(satellite), now, next - now))
    return [pause(`Holdfast has called LINSTOR to remove the node ${node}. LINSTOR still lists it.`, next)];
  const { before, ...outcome } = noteRemoval(satellite, now, true);
  return [
    about.call(removal.message, {
      step: { name: "removing" },
      writes: [before, ...shows()],
      ...outcome,
      command: removal.by === "lose" ? loseNode({ at, node }) : deleteNode({ at, node }),
      next,
    }),
  ];
}
