import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { heldUntil, Lease, type LeaseObject, releaseLease, takeLease } from "../../../shared/kubernetes/lease.ts";
import { ownNamespace } from "../../../shared/own-namespace.ts";
import { on, rule } from "../../../shared/rule.ts";
import { silent } from "../../../shared/steps.ts";
import { whileDeleting } from "../../../shared/sweep.ts";
import { evacuateNode } from "../lib/commands.ts";
import type { DataFacts } from "../lib/data/data-facts.ts";
import { countBefore } from "../lib/data/floor.ts";
import { mayEvacuate } from "../lib/data/may-evacuate.ts";
import { LinstorSatellite } from "../lib/kinds.ts";
import { answeredCall } from "../lib/linstor/evacuate-answer.ts";
import { linstor } from "../lib/linstor/system.ts";
import { type LeavingSeen, lookAtChain, type SatelliteSeen } from "../lib/look.ts";
import { mayStep } from "../lib/permissions.ts";
import { recordKey, writeRecord } from "../lib/record.ts";
import { satelliteFinalizer } from "../lib/satellite.ts";
import { satelliteRule } from "../lib/satellite-rule.ts";
import { chainSteps, decideStep, reportWrites, type StepContext } from "../lib/step-rule.ts";
import { isGoing, satellitesIn } from "../lib/subjects.ts";

const name = "satellite/evacuate";
/**
 * Whoever has it may call LINSTOR to evacuate a node: one call at a time for all nodes. Of two calls at once for the
 * two nodes of one volume LINSTOR has made one new copy, and deleted both sources.
 */
const leaseName = "holdfast-linstor-evacuate";
/** LINSTOR goes on with a call that nobody listens to any more; longer than a client listens. Seconds. */
const leaseSeconds = 180;

/** Satellites with what their evacuation depends on, and the Lease, read before them. */
export interface Facts {
  readonly lease: LeaseObject | undefined;
  readonly namespace: string;
  readonly seen: readonly (SatelliteSeen | LeavingSeen)[];
}

export const evacuate = rule({
  name,
  doc: "Calls LINSTOR to evacuate a node, one node at a time, when everything on it may be moved without loss.",
  ...satelliteRule,
  wakes: [on(LinstorSatellite, ["update"])],
  may: [...mayStep({ events: true }), { resource: Lease, verbs: ["get", "create", "patch"], ownNamespace: true }],
  sweep: [whileDeleting(LinstorSatellite, satelliteFinalizer)],
  steps: { ...chainSteps, called: silent },
  systems: { linstor },
  subjects: (hint) => satellitesIn(hint, name, isGoing),
  look: async (subject, view): Promise<Facts> => {
    const namespace = ownNamespace();
    const lease = await view.client.get<LeaseObject>(Lease, namespace, leaseName);
    return { lease, namespace, seen: await lookAtChain(subject, view) };
  },
  decide: (facts: Facts, now) =>
    facts.seen.flatMap(
      (one) => released(facts, one, now) ?? decideStep("evacuate", [one], now, (context) => decide(facts, context)),
    ),
});

/**
 * Gives the Lease back as soon as LINSTOR itself says that it has answered the call that the Lease was taken for: the
 * copies that were begun are listed now, and keep calls for other nodes from what they would harm.
 */
function released({ lease }: Facts, seen: Facts["seen"][number], now: number): readonly Decision[] | undefined {
  const data = "facts" in seen ? seen.facts.data : undefined;
  if (!lease || !data || heldUntil(lease, now) === undefined || lease.spec?.holderIdentity !== holderOf(seen))
    return undefined;
  if (answeredCall(data.node) !== Date.parse(lease.spec.renewTime ?? "")) return undefined;
  const because = `LINSTOR has answered the call for ${data.node.name}: it may be called for the next node.`;
  return [about(LinstorSatellite, seen.satellite).write(because, [releaseLease(lease)], { step: "kept" })];
}

const holderOf = ({ satellite: { metadata } }: Pick<SatelliteSeen, "satellite">) =>
  `LinstorSatellite ${metadata.name} (${metadata.uid})`;

function decide({ lease, namespace }: Facts, context: StepContext): readonly Decision[] {
  const { satellite, now, about, standing } = context;
  const data = context.facts.data as DataFacts;
  const verdict = mayEvacuate(data, now);
  if (verdict.do !== "act") return [context.wait()];
  const holder = holderOf(context);
  const end = heldUntil(lease, now);
  if (end !== undefined && !isUnused(lease, holder, data.calledAt)) {
    const until = Number.isFinite(end)
      ? `until ${new Date(end).toISOString()} at the latest`
      : `until somebody deletes Lease ${namespace}/${leaseName}, in which no time can be read`;
    const because = `LINSTOR is called for one node at a time; ${lease?.spec?.holderIdentity} comes first, ${until}.`;
    return [
      about.write(because, reportWrites(context, { ...standing, because }, now), {
        step: { name: "waiting" },
        next: context.next,
      }),
    ];
  }
  const before = { ...countBefore(data), ...data.before };
  const called = new Date(now).toISOString();
  return [
    about.call(verdict.because, {
      step: { name: "called" },
      writes: [
        takeLease(lease, { namespace, name: leaseName, holder, seconds: leaseSeconds }, now),
        // The intent: of two instances that come so far, one is refused here, because the other has changed the object.
        annotate(LinstorSatellite, satellite, { [recordKey]: writeRecord(satellite, now, { called, before }) }),
        ...reportWrites(context, standing, now),
      ],
      command: evacuateNode({ at: context.controller, node: data.node.name, called }),
      next: context.next,
    }),
  ];
}

/** It was taken for this satellite, and the call that it was taken for was never written down. */
function isUnused(lease: LeaseObject | undefined, holder: string, calledAt: number | undefined): boolean {
  const taken = Date.parse(lease?.spec?.renewTime ?? "");
  return lease?.spec?.holderIdentity === holder && (calledAt === undefined || calledAt < taken);
}
