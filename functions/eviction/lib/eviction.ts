import { type ChainStep, chain, type Standing } from "../../../shared/chain/chain.ts";
import type { Facts, Looked } from "../../../shared/chain/facts.ts";
import type { WantedCondition } from "../../../shared/kubernetes/condition.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { on, type View } from "../../../shared/rule.ts";
import { whileDeleting } from "../../../shared/sweep.ts";
import { hasEnded } from "./agent-pod.ts";
import { begins, type ComputeNode, evictedByYaook, findComputeNode, isCalledOff, noMoves } from "./compute-node.ts";
import { approvalWanted, conditionOf, isLeaving, lateFor, outsideOf, unknownTo } from "./dependent.ts";
import { evacuationFor, unrestored } from "./evacuation.ts";
import { enabledReport, lookAtHost, reports } from "./host.ts";
import { NovaComputeNode } from "./kinds.ts";
import { emptyTwiceAfter, whileLettingGo } from "./let-go.ts";
import { computeFinalizer, conditions } from "./names.ts";
import { openstack } from "./openstack/system.ts";
import {
  fencingOf,
  isFenced,
  isForced,
  isProvenDown,
  lookAtOutage,
  machineOf,
  type OutageFacts,
  type Suspected,
  verdictsOn,
} from "./outage.ts";
import { isEmpty, isStuck, type Plan, planFor } from "./plan.ts";
import { convergedReport, evictedReport } from "./report.ts";
import { type Common, common } from "./settings.ts";

type ChainView = View<Common, { readonly openstack: typeof openstack }>;

type Asked = Omit<Suspected, "outage"> & { readonly outage: OutageFacts | undefined };

/**
 * What the steps of an eviction depend on.
 * - `unapproved`: a person has to agree first, and OpenStack is not asked
 * - `seen`: Nova has answered
 */
export type EvictionFacts =
  | { readonly is: "ready"; readonly at: "unapproved"; readonly compute: ComputeNode }
  | (Asked & { readonly is: "ready"; readonly at: "seen" })
  | { readonly is: "abandoned"; readonly at: "abandoned"; readonly message: string; readonly compute: ComputeNode };

export type StepName =
  | "disable-compute"
  | "confirm-outage"
  | "shut-down-host"
  | "evacuate-servers"
  | "move-servers"
  | "release-compute";

/** The steps of an eviction, in their order. Each is taken by a rule of the same name. */
const steps: readonly ChainStep<EvictionFacts, StepName>[] = [
  {
    name: "disable-compute",
    doc: "Waits until a person agrees, then keeps new servers from the host.",
    done: ({ compute, ...facts }) =>
      facts.at === "abandoned" ||
      (facts.at === "seen" && compute.record !== undefined && !begins(compute) && !facts.host.service.isEnabled),
    waiting: (facts) =>
      facts.at === "unapproved"
        ? approvalWanted(facts.compute, "its servers leave")
        : "nova-compute is being disabled.",
  },
  {
    name: "confirm-outage",
    doc: "Finds out whether a host that does not report is down: both Nova and Kubernetes must say so.",
    done: (facts, now) => ofSuspect(facts, (host) => isEmpty(host.host) || isProvenDown(host, now), true),
    waiting: (facts, now) => ofSuspect(facts, (host) => `${planOf(host).message} ${verdictsOn(host, now)}`, ""),
  },
  {
    name: "shut-down-host",
    doc: "Turns off a host that is down, by Ironic or by a person.",
    done: (facts) => ofSuspect(facts, (host) => isEmpty(host.host) || isFenced(host), true),
    waiting: (facts) => ofSuspect(facts, fencingOf, ""),
    stuck: (facts) => machineOf(facts.compute) === undefined || (facts.at === "seen" && isForced(facts)),
  },
  {
    name: "evacuate-servers",
    doc: "Forces down the nova-compute of a host that is off, and has Nova start its servers on other hosts.",
    done: (facts) =>
      ofSuspect(
        facts,
        ({ host, outage, compute: { record } }) =>
          !record || (isEmpty(host) && unrestored(outage, host, record).length === 0),
        true,
      ),
    waiting: (facts) => (facts.at === "seen" ? [...whileStaying(facts), planOf(facts).message].join(" ") : ""),
    stuck: (facts) =>
      facts.at === "seen" && (isStuck(planOf(facts)) || (whileStaying(facts).length > 0 && isForcedLong(facts))),
  },
  {
    name: "move-servers",
    doc: "Moves all servers to other hosts, and confirms cold moves.",
    done: (facts) =>
      facts.at === "abandoned" ||
      facts.compute.wanted === "disable" ||
      (facts.at === "seen" &&
        isEmpty(facts.host) &&
        facts.host.at - Date.parse(facts.compute.record?.empty ?? "") >= emptyTwiceAfter),
    waiting: (facts) =>
      facts.at !== "seen" || isEmpty(facts.host)
        ? "The host is empty. Holdfast checks this once more."
        : planOf(facts).message,
    stuck: (facts) => facts.at === "seen" && isStuck(planOf(facts)),
  },
  {
    name: "release-compute",
    doc: "Deletes the pods, then removes the lock from the Node, and releases the resource last.",
    done: () => false,
    waiting: ({ compute }) => {
      if (compute.wanted === "disable") return "nova-compute is disabled.";
      if (compute.wanted === "clear") return "nova-compute is disabled, and no server is left on its host.";
      return whileLettingGo(compute, "The host is empty");
    },
  },
];

/** How a compute node leaves: what its rules have in common. */
export const eviction = chain({
  system: "eviction",
  kinds: [NovaComputeNode],
  noun: "eviction",
  stuckReason: "EvictionStuck",
  steps,
  rule: {
    settings: common,
    common,
    systems: { openstack },
    triggers: [on(NovaComputeNode, ["update"])],
    sweep: [whileDeleting(NovaComputeNode, computeFinalizer)],
  },
  concerns: isLeaving,
  find: (subject, view: ChainView) => findComputeNode(subject, view),
  look: lookAtEviction,
  conditions: report,
  again: ({ evictionLookAgain }) => evictionLookAgain,
});

async function lookAtEviction(compute: ComputeNode, view: ChainView): Promise<Facts<EvictionFacts>> {
  const { object, wanted, isApproved, record } = compute;
  const { name } = object.metadata;
  const outside = outsideOf(compute);
  if (outside) return outside;
  // Also while Yaook's own job runs: enable-compute ends what was begun, and says so.
  if (isCalledOff(compute))
    return { is: "outside", message: `NovaComputeNode ${name} is to stay, or its eviction was called off.` };
  const yaook = await evictedByYaook(compute, view.client);
  if (yaook) return { is: "halted", message: yaook };
  if (wanted !== "disable" && !isApproved) return { is: "ready", at: "unapproved", compute };
  const host = await lookAtHost(view.openstack.nova, name, record, view.settings.evictionAttempts);
  if (!host) return unknownTo("Nova", "nova-compute", "its cell answers", object, { compute });
  const outage = await lookAtOutage(compute, host, view.openstack);
  return { is: "ready", at: "seen", compute, host, outage, settings: view.settings };
}

/** What is to be done about what a look has found; before an eviction has begun, nothing was moved by it. */
export function planOf({ host, outage, compute, settings }: Asked): Plan {
  const { uid } = compute.object.metadata;
  const record = compute.record ?? { v: 1, uid, begun: "", baseline: noMoves };
  return outage && isForced({ compute, host })
    ? evacuationFor(host, outage, record, settings)
    : planFor(host, record, settings);
}

/** Pods that are not being deleted: a kubelet starts them with its host, and nova-compute deletes evacuated servers. */
export const staying = ({ pods }: Pick<ComputeNode, "pods">): ComputeNode["pods"] =>
  pods.filter((pod) => !isBeingDeleted(pod) && !hasEnded(pod));

function whileStaying({ compute, host }: Asked): readonly string[] {
  const names = staying(compute).map(({ metadata }) => metadata.name);
  if (names.length === 0 || compute.object.spec.template || !isForced({ compute, host })) return [];
  return [
    `Waiting until the pods ${names.join(", ")} are being deleted: nova-compute must not start when its host is ` +
      "turned on. Their operator deletes them, because the Node no longer has its label. If it does not, delete them.",
  ];
}

const isForcedLong = ({ compute, host }: Asked) => host.at - Date.parse(compute.record?.forced?.at ?? "") > lateFor;

/** The host of which it has to be found out whether it is down, or that is: `undefined` while nova-compute reports. */
export function suspectedIn(facts: EvictionFacts): Suspected | undefined {
  if (facts.at !== "seen" || !facts.outage || facts.compute.wanted === "disable") return undefined;
  return { ...facts, outage: facts.outage };
}

/** As `yaookctl` reads them: an eviction is Enabled=False, Evicted=Evicting, and Converged InProgress or Dependency. */
function report(
  { step, message }: Standing,
  { object, facts, wanted }: Looked<ComputeNode, EvictionFacts>,
  now: number,
): readonly WantedCondition[] {
  const isWaiting = facts.is !== "ready" || facts.at === "unapproved";
  // While OpenStack is away, or Nova does not know the host, all rules report the same condition.
  const isKnown = facts.is !== "unknown";
  const isThere = isKnown && step === "release-compute" && wanted !== "go" && !isBeingDeleted(object);
  const reason = isThere ? "Success" : isWaiting ? "Dependency" : "InProgress";
  const converged = convergedReport(reason, message);
  if (facts.is !== "ready" || facts.at !== "seen") return [converged];
  const isCleared = step === "release-compute" && wanted !== "disable";
  const status = isCleared ? "Evicted" : wanted === "disable" ? "NotEvicting" : "Evicting";
  const seen = [converged, enabledReport(facts.host.service), evictedReport(status, planOf(facts))];
  const host = suspectedIn(facts);
  const isShown = conditionOf(object, conditions.hostDown) !== undefined;
  return host ? [...seen, outageReport(host, now)] : isShown ? [...seen, reports(facts.host.service)] : seen;
}

/** What a function says of a host that may be down, or the other answer where none may be. */
function ofSuspect<T>(facts: EvictionFacts, say: (host: Suspected) => T, otherwise: T): T {
  const host = suspectedIn(facts);
  return host ? say(host) : otherwise;
}

/** The verdict on each gate. */
function outageReport(host: Suspected, now: number): WantedCondition {
  const isProven = isProvenDown(host, now);
  const reason = isProven ? (isFenced(host) ? "Fenced" : "NotFenced") : "NotProven";
  return { type: conditions.hostDown, status: isProven ? "True" : "False", reason, message: verdictsOn(host, now) };
}
