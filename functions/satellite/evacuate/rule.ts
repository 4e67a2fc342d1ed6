import { about } from "../../../shared/about.ts";
import { chainRule, type Seen, type StepContext } from "../../../shared/chain/chain-rule.ts";
import type { Decision } from "../../../shared/decision.ts";
import { Lease, type LeaseObject, takeLease } from "../../../shared/kubernetes/lease.ts";
import { mayTakeLease } from "../../../shared/may-take-lease.ts";
import { ownNamespace } from "../../../shared/own-namespace.ts";
import { evacuateNode } from "../lib/commands.ts";
import { circumstances, mayEvacuate } from "../lib/data/may-evacuate.ts";
import { countBefore } from "../lib/data/replica-floor.ts";
import { evacuation } from "../lib/evacuation.ts";
import type { EvacuationFacts, LookedSatellite, SatelliteInChain } from "../lib/evacuation-facts.ts";
import { LinstorSatellite } from "../lib/kinds.ts";
import { answeredCall } from "../lib/linstor/objects.ts";
import { restorationKey, restorationPending } from "../lib/noted-calls.ts";
import { recordKey, recordWrites, takeBackRecord } from "../lib/record.ts";
import { mayStep } from "../lib/satellite-rule.ts";
import { callKeys, callsInFlight, dateCall, endCall, isElsewhere, type NotedCall, noteCall } from "./calls.ts";

/**
 * A function must note its call on this Lease to call LINSTOR to evacuate a node: one call at a time in each LINSTOR.
 * Of two calls at once for the two nodes of one volume LINSTOR has made one new copy, and deleted both sources. It is
 * one Lease for all LINSTORs, because two addresses may lead to one of them, and what is noted on one object is noted
 * by one function at a time.
 */
const leaseName = "holdfast-linstor-evacuate";

/** The Lease, read before the satellites. */
interface Held {
  readonly lease: LeaseObject | undefined;
  readonly namespace: string;
}

/** Satellites with what their evacuation depends on, and the Lease. */
export type Facts = Seen<SatelliteInChain, EvacuationFacts> & Held;

export const evacuate = chainRule(evacuation, "evacuate", {
  doc: "Calls LINSTOR to evacuate a node, one node at a time, when everything on it may be moved without loss.",
  permissions: [
    ...mayStep({
      why: "to see which satellites leave, and to note that LINSTOR was called to evacuate this one",
      writes: { annotations: [recordKey, restorationKey] },
      events: "the satellite",
    }),
    ...mayTakeLease(leaseName, "to call LINSTOR for one node at a time", { fields: ["spec"], annotations: [callKeys] }),
  ],
  look: async (_, { client }, seen): Promise<Facts> => {
    const namespace = ownNamespace();
    const lease = await client.get<LeaseObject>(Lease, namespace, leaseName);
    return { lease, namespace, seen: await seen() };
  },
  beside: ({ seen, lease }, now) => seen.flatMap((one) => released(lease, one, now)),
  act,
});

/**
 * Gives the Lease back where the function that made the call did not: as soon as LINSTOR itself says that it has
 * answered the call that the Lease was taken for. The copies that were begun are listed now, and keep calls for other
 * nodes from what they would harm.
 */
function released(lease: LeaseObject | undefined, one: LookedSatellite, now: number): readonly Decision[] {
  const data = one.facts.is === "ready" ? one.facts.data : undefined;
  const holder = holderOf(one);
  const call = callsInFlight(lease, now).find((call) => call.holder === holder);
  if (!lease || !data || !call || answeredCall(data.node) !== call.called) return [];
  const message = `LINSTOR has answered the call for ${data.node.name}: it may be called for the next node.`;
  return [about(LinstorSatellite, one.satellite).write(message, [endCall(lease, call)], { progress: "unchanged" })];
}

const holderOf = ({ satellite: { metadata } }: SatelliteInChain) =>
  `LinstorSatellite ${metadata.name} (${metadata.uid})`;

function act(context: StepContext<SatelliteInChain, EvacuationFacts>, { lease, namespace }: Held): readonly Decision[] {
  const { satellite, facts, now, next, about, shows, wait } = context;
  if (facts.is !== "ready" || !facts.data) return [wait()];
  const { data } = facts;
  const verdict = mayEvacuate(data, now);
  if (verdict.do !== "act") return [wait()];
  const pending = restorationPending(satellite, now);
  if (pending) {
    const { message, writes } = pending;
    return [about.write(message, [...shows({ message }), ...writes], { step: { name: "waiting" }, next })];
  }
  const holder = holderOf(context);
  const begun = context.record?.begun;
  const calls = callsInFlight(lease, now);
  const call = calls.find((call) =>
    call.holder === holder ? mayBeMade(call, data.calledAt, begun) : !isElsewhere(call, context.controller, data.nodes),
  );
  if (call) {
    const remove = call.key ? `annotate lease ${leaseName} ${call.key}-` : `delete lease ${leaseName}`;
    const until = Number.isFinite(call.end)
      ? `until ${new Date(call.end).toISOString()} at the latest`
      : `until a person removes this note, which cannot be read: \`kubectl -n ${namespace} ${remove}\``;
    // Also for a former satellite of the node.
    const message =
      call.holder.split(" (")[0] === holder.split(" (")[0]
        ? `LINSTOR may still be carrying out the last call for this node, ${until}.`
        : `LINSTOR is called for one node at a time; ${call.holder} comes first, ${until}.`;
    const dated = lease ? dateCall(lease, call, now) : [];
    return [about.write(message, [...shows({ message }), ...dated], { step: { name: "waiting" }, next })];
  }
  const called = new Date(now).toISOString();
  // As on the Lease: no other run has taken the same version of it.
  const onto = lease?.metadata.resourceVersion;
  const changes = { called, onto, tried: circumstances(data), before: { ...countBefore(data), ...data.before } };
  const named = { namespace, name: leaseName, holder };
  const from = { at: context.controller, node: data.node.uuid, begun };
  const { claimant, answered, unsent } = noteCall(lease, satellite, named, from, now);
  return [
    about.call(verdict.message, {
      step: { name: "called" },
      writes: [
        takeLease(lease, claimant, now),
        // The intent: of two instances that come so far, one is refused here, because the other has changed the object.
        ...recordWrites(satellite, now, changes),
        ...shows(),
      ],
      command: evacuateNode({ at: context.controller, node: data.node.name, called }),
      // A node with nothing on it is removed at once, and with it the property that would show the answer.
      answered,
      ...(unsent ? { unsent: [unsent, takeBackRecord(satellite, now, changes)] } : {}),
      next,
    }),
  ];
}

/**
 * Else the Lease was taken for this satellite, and the call that it was taken for was never made: the record lacks it.
 * A record that began at another time lacks it in any case: the one that had it is lost.
 */
const mayBeMade = (call: NotedCall, calledAt: number | undefined, begun: string | undefined): boolean =>
  calledAt === undefined ? call.begun !== begun : !(calledAt < call.called);
