import { type ChainPosition, type ChainStep, chain } from "../../../shared/chain/chain.ts";
import type { Facts, Looked } from "../../../shared/chain/facts.ts";
import { conditionOf, type WantedCondition } from "../../../shared/kubernetes/condition.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { on, type View } from "../../../shared/rule.ts";
import { whileDeleting } from "../../../shared/sweep.ts";
import { hasEnded } from "./agent-pod.ts";
import {
  begins,
  type ComputeNode,
  damageOf,
  evictedByYaook,
  findComputeNode,
  isCalledOff,
  isClearing,
  noMoves,
} from "./compute-node.ts";
import { approvalWanted, isLeaving, lateFor, outsideOf, seemsUnused, unknownTo } from "./dependent.ts";
import { evacuationFor, unrestored } from "./evacuation.ts";
import { enabledReport, isProvenUnused, lookAtHost, otherCompute, reports } from "./host.ts";
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
import { type HostFacts, isEmpty, isStuck, type Plan, planFor } from "./plan.ts";
import { convergedReport, evictedReport, stuckReport } from "./report.ts";
import { type Common, common } from "./settings.ts";

type ChainView = View<Common, { readonly openstack: typeof openstack }>;

/** What Nova has answered about the host of a compute node, and what is to be done about it. */
interface Seen extends Omit<Suspected, "outage"> {
  readonly plan: Plan;
}

/** What the steps of an eviction depend on. */
export interface EvictionFacts {
  readonly is: "ready" | "abandoned";
  readonly compute: ComputeNode;
  /** `undefined`: a person has to agree first, or nothing is left of the host, or a person has given it up. */
  readonly seen?: Seen;
  /** A host of which it has to be found out whether it is down, or that is: `undefined` while nova-compute reports. */
  readonly suspect?: (Seen & Suspected) | undefined;
}

/** The steps of an eviction, in their order. Each is taken by a rule of the same name. */
const steps: readonly ChainStep<EvictionFacts, string>[] = [
  {
    name: "disable-compute",
    doc: "Waits until a person agrees, then keeps new servers from the host.",
    done: ({ is, compute, seen }) =>
      is === "abandoned" ||
      (compute.record !== undefined && !begins(compute) && seen?.host.service.isEnabled === false),
    waiting: ({ compute, seen }) =>
      seen ? "nova-compute is being disabled." : approvalWanted(compute, "its servers leave the host"),
  },
  {
    name: "confirm-outage",
    doc: "Finds out whether a host that does not report is down: both Nova and Kubernetes must say so.",
    done: ({ suspect }) => !suspect || isEmpty(suspect.host) || isProvenDown(suspect),
    waiting: ({ suspect }) => (suspect ? `${suspect.plan.message} ${verdictsOn(suspect)}` : ""),
  },
  {
    name: "shut-down-host",
    doc: "Turns off a host that is down, by Ironic or by a person.",
    done: ({ suspect }) => !suspect || isEmpty(suspect.host) || isFenced(suspect),
    waiting: ({ suspect }) => (suspect ? fencingOf(suspect) : ""),
    stuck: ({ compute, suspect }) => machineOf(compute) === undefined || (suspect !== undefined && isForced(suspect)),
  },
  {
    name: "evacuate-servers",
    doc: "Forces down the nova-compute of a host that is off, and has Nova start its servers on other hosts.",
    done: ({ suspect, compute: { record } }) =>
      !suspect || !record || (isEmpty(suspect.host) && unrestored(suspect.outage, suspect.host, record).length === 0),
    waiting: ({ suspect }) => (suspect ? [...whileStaying(suspect), suspect.plan.message].join(" ") : ""),
    stuck: ({ suspect }) =>
      suspect !== undefined && (isStuck(suspect.plan) || (whileStaying(suspect).length > 0 && isForcedLong(suspect))),
  },
  {
    name: "move-servers",
    doc: "Moves all servers to other hosts, and confirms cold moves.",
    done: ({ is, compute, seen }) =>
      is === "abandoned" ||
      compute.wanted === "disable" ||
      (seen !== undefined &&
        isEmpty(seen.host) &&
        seen.host.at - Date.parse(compute.record?.empty ?? "") >= emptyTwiceAfter),
    waiting: ({ seen }) =>
      !seen || isEmpty(seen.host) ? "The host is empty. Holdfast checks this once more." : seen.plan.message,
    stuck: ({ seen }) => seen !== undefined && isStuck(seen.plan),
  },
  {
    name: "release-compute",
    doc: "Deletes the pods, then removes the lock from the Node, and releases the resource last.",
    done: () => false,
    waiting: ({ compute, seen }) => {
      if (compute.wanted === "disable") return "nova-compute is disabled.";
      if (compute.wanted === "clear") return "nova-compute is disabled, and no server is left on its host.";
      return whileLettingGo(compute, seen ? "The host is empty" : "The host counts as empty");
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
  const { object, wanted, isApproved } = compute;
  const { name } = object.metadata;
  const outside = outsideOf(compute);
  if (outside) return outside;
  const damage = damageOf(object);
  if (damage) return { is: "halted", message: damage };
  // Also while Yaook's own job runs: enable-compute ends what was begun, and says so.
  if (isCalledOff(compute))
    return { is: "outside", message: `NovaComputeNode ${name} is to stay, or its eviction was called off.` };
  const yaook = await evictedByYaook(compute, view.client);
  if (yaook) return { is: "halted", message: yaook };
  const isAgreed = wanted === "disable" || isApproved;
  if (!isAgreed && !seemsUnused(compute)) return { is: "ready", compute };
  const host = await lookAtHost(view.openstack.nova, object, view.settings.evictionAttempts);
  if (!isAgreed)
    return { is: (await isProvenUnused(view.openstack.nova, host, object)) ? "abandoned" : "ready", compute };
  if (!host) return unknownTo("Nova", "nova-compute", cellOrCloud, object, { compute });
  const other = isClearing(compute.record) && otherCompute(object, host);
  if (other) return { is: "halted", message: other };
  const outage = await lookAtOutage(compute, host, view.openstack);
  return factsOf(compute, host, outage, view.settings);
}

const cellOrCloud = "its cell answers and the Secret names the right cloud";

/** What follows from a look; before an eviction has begun, nothing was moved by it. */
export function factsOf(
  compute: ComputeNode,
  host: HostFacts,
  outage: OutageFacts | undefined,
  settings: Common,
): EvictionFacts {
  const record = compute.record ?? { v: 1, uid: compute.object.metadata.uid, begun: "", baseline: noMoves };
  const plan =
    outage && isForced({ compute, host })
      ? evacuationFor(host, outage, record, settings)
      : planFor(host, record, settings);
  const seen = { compute, host, plan, settings };
  const suspect = outage && compute.wanted !== "disable" ? { ...seen, outage } : undefined;
  return { is: "ready", compute, seen, suspect };
}

/** Pods that are not being deleted: a kubelet starts them with its host, and nova-compute deletes evacuated servers. */
export const staying = ({ pods }: Pick<ComputeNode, "pods">): ComputeNode["pods"] =>
  pods.filter((pod) => !isBeingDeleted(pod) && !hasEnded(pod));

function whileStaying({ compute, host }: Seen): readonly string[] {
  const names = staying(compute).map(({ metadata }) => metadata.name);
  if (names.length === 0 || compute.object.spec.template || !isForced({ compute, host })) return [];
  return [
    `Holdfast evacuates the servers when these pods are being deleted: ${names.join(", ")}. Otherwise nova-compute ` +
      "may start with the host. Their operator deletes them, because the Node has lost its label. If not, delete " +
      `them: \`kubectl delete pod --wait=false -n ${compute.object.metadata.namespace} ${names.join(" ")}\`.`,
  ];
}

const isForcedLong = ({ compute, host }: Seen) => host.at - Date.parse(compute.record?.forced?.at ?? "") > lateFor;

/** As `yaookctl` reads them: an eviction is Enabled=False, Evicted=Evicting, and Converged InProgress or Dependency. */
function report(
  { step, message, stuck }: ChainPosition,
  { object, facts, wanted }: Looked<ComputeNode, EvictionFacts>,
): readonly WantedCondition[] {
  const isWaiting = facts.is !== "ready" || !facts.seen;
  // While OpenStack is away, or Nova does not know the host, all rules report the same condition.
  const isKnown = facts.is !== "unknown";
  const isThere = isKnown && step === "release-compute" && wanted !== "go" && !isBeingDeleted(object);
  const reason = isThere ? "Success" : isWaiting ? "Dependency" : "InProgress";
  const converged = convergedReport(reason, message);
  if (facts.is !== "ready" || !facts.seen) return [converged];
  const { host, plan } = facts.seen;
  const isCleared = step === "release-compute" && wanted !== "disable";
  const status = isCleared ? "Evicted" : wanted === "disable" ? "NotEvicting" : "Evicting";
  const servers = stuckReport(plan.stuck, object);
  const seen = [converged, enabledReport(host.service), evictedReport(status, plan, stuck), ...servers];
  if (facts.suspect) return [...seen, outageReport(facts.suspect)];
  return conditionOf(object, conditions.hostDown) ? [...seen, reports(host.service)] : seen;
}

/** The verdict on each gate. */
function outageReport(host: Suspected): WantedCondition {
  const isProven = isProvenDown(host);
  const reason = isProven ? (isFenced(host) ? "Fenced" : "NotFenced") : "NotProven";
  return { type: conditions.hostDown, status: isProven ? "True" : "False", reason, message: verdictsOn(host) };
}
