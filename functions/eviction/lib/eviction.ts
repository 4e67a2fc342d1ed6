import { type ChainStep, chain } from "../../../shared/chain/chain.ts";
import type { Facts } from "../../../shared/chain/facts.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { on } from "../../../shared/rule.ts";
import { whileDeleting } from "../../../shared/sweep.ts";
import { type ComputeNode, evictedByYaook, findComputeNode } from "./compute-node.ts";
import { approvalWanted, isLeaving, outsideOf, unknownTo } from "./dependent.ts";
import { isRestored } from "./evacuation.ts";
import { type EvictionFacts, planOf, suspectedIn } from "./eviction-facts.ts";
import { lookAtHost } from "./host.ts";
import { NovaComputeNode } from "./kinds.ts";
import { whileLettingGo } from "./let-go.ts";
import { computeFinalizer } from "./names.ts";
import { type OpenStack, openstack } from "./openstack/system.ts";
import { fencingOf, isFenced, isForced, isProvenDown, lookAtOutage, machineOf, verdictsOn } from "./outage.ts";
import { emptyTwiceAfter, isEmpty, isStuck } from "./plan.ts";
import { evictionReport } from "./report.ts";
import { type Common, common } from "./settings.ts";

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
    doc: "Has a person agree, and keeps new servers from the host.",
    done: (facts) =>
      facts.at === "abandoned" ||
      (facts.at === "seen" && facts.compute.record !== undefined && !facts.host.service.isEnabled),
    waiting: (facts) =>
      facts.at === "unapproved"
        ? approvalWanted(facts.compute, "its servers leave")
        : "nova-compute is being disabled.",
  },
  {
    name: "confirm-outage",
    doc: "Finds out whether a host that does not report is down, by two witnesses.",
    done: (facts, now) => {
      const host = suspectedIn(facts);
      return !host || isEmpty(host.host) || isProvenDown(host, now);
    },
    waiting: (facts, now) => {
      const host = suspectedIn(facts);
      return host && facts.at === "seen" ? `${planOf(facts).message} ${verdictsOn(host, now)}` : "";
    },
  },
  {
    name: "shut-down-host",
    doc: "Has Ironic turn off a host that is down, or a person make sure of it.",
    done: (facts) => {
      const host = suspectedIn(facts);
      return !host || isEmpty(host.host) || isFenced(host);
    },
    waiting: (facts) => {
      const host = suspectedIn(facts);
      return host ? fencingOf(host) : "";
    },
    stuck: (facts) => machineOf(facts.compute) === undefined || (facts.at === "seen" && isForced(facts)),
  },
  {
    name: "evacuate-servers",
    doc: "Forces nova-compute of a host that is off down, and has its servers started on other hosts.",
    done: (facts) => {
      const host = suspectedIn(facts);
      const { record } = facts.compute;
      return !host || !record || (isEmpty(host.host) && isRestored(host.outage, host.host, record));
    },
    waiting: (facts) => (facts.at === "seen" ? planOf(facts).message : ""),
    stuck: (facts) => facts.at === "seen" && isStuck(planOf(facts)),
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
        ? "The host is empty, and is looked at once more."
        : planOf(facts).message,
    stuck: (facts) => facts.at === "seen" && isStuck(planOf(facts)),
  },
  {
    name: "release-compute",
    doc: "Has the pods go, then takes the lock off the Node, and lets the resource go last.",
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
  conditions: evictionReport,
  again: ({ evictionLookAgain }) => evictionLookAgain,
});

/** What a look of a chain is taken with. */
export interface ChainView {
  readonly client: Client;
  readonly openstack: OpenStack;
  readonly settings: Common;
}

async function lookAtEviction(compute: ComputeNode, view: ChainView): Promise<Facts<EvictionFacts>> {
  const { object, wanted, isApproved, record } = compute;
  const { name } = object.metadata;
  const outside = outsideOf(compute);
  if (outside) return outside;
  if (wanted === "stay") return { is: "outside", message: `NovaComputeNode ${name} is to stay.` };
  const yaook = await evictedByYaook(compute, view.client);
  if (yaook) return { is: "halted", message: yaook };
  if (wanted !== "disable" && !isApproved) return { is: "ready", at: "unapproved", compute };
  const host = await lookAtHost(view.openstack.nova, name, record, view.settings.evictionAttempts);
  if (!host) return unknownTo("Nova", "nova-compute", "its cell answers", object, { compute });
  const outage = await lookAtOutage(compute, host, view.openstack);
  return { is: "ready", at: "seen", compute, host, outage, settings: view.settings };
}
