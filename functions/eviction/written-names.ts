import { grantedKey } from "../../shared/budget/budget.ts";
import type { WrittenNames } from "../../shared/written-names.ts";
import { bases, dependents, NovaComputeNode } from "./lib/kinds.ts";
import * as own from "./lib/names.ts";
import { lockPrefix, maintenanceLabel } from "./lib/node-lock.ts";

const all = [...dependents, ...bases].map(({ kind }) => kind);

export const names: WrittenNames = {
  name: "eviction",
  annotations: {
    [own.abandonKey]: {
      means:
        "A person gives up a host or an agent that OpenStack does not know. Holdfast removes it when the resource " +
        "serves again.",
      ifChanged: "You may remove it, as long as the resource is there: Holdfast then asks OpenStack again.",
    },
    [own.approvalKey]: {
      means: "A person agrees to the eviction. Holdfast removes it when the resource serves again.",
      ifChanged:
        "You may remove it, which [calls the eviction off](eviction.md#call-it-off). Only the value `true` agrees.",
    },
    [own.fencedKey]: {
      means:
        "A person says that the host is off since the time in the value. Holdfast removes it when the host is back.",
      ifChanged:
        "Set it only to the time that the message names, and only if the host is off. If you remove it, Holdfast " +
        "begins no evacuation until Ironic, or a person, says again that the host is off.",
    },
    [own.retryKey]: {
      means: "A person asks to try again what could not be moved. Holdfast removes it when it begins.",
      ifChanged: "You may set and remove it.",
    },
    [own.recordKey]: {
      means:
        "Holdfast's record of an eviction that has begun: what neither Nova nor Kubernetes stores, such as the calls " +
        "that Holdfast has made. `holdfast uninstall` does not begin while the annotation is there.",
      ifChanged:
        "Leave it: [call the eviction off](eviction.md#call-it-off) instead. Without it, Holdfast does not recognize " +
        "its own moves, and does not confirm them. If the host is down, Nova may be asked to start a server twice, " +
        "**which damages its disks**. If the annotation is damaged, Holdfast does nothing about the host, and the " +
        "condition Converged says what to do.",
    },
    [own.movingKey]: {
      means: "The record of an agent's eviction: which routers, networks or BGP speakers are between two agents.",
      ifChanged:
        "Leave it. Without it, Holdfast forgets what it has taken from one agent and not yet given to another. " +
        "Neutron then lists it on no agent, and no agent serves it. If the annotation is damaged, Holdfast does " +
        "nothing about the agent, and the condition Converged says what to do.",
    },
    [own.noticedKey]: {
      means: "The last value of the Node's maintenance label. When it changes, the functions look at the resource.",
      ifChanged: "lock-node writes it again. Holdfast decides nothing by it.",
    },
    [grantedKey]: {
      means: "On the Lease `holdfast-eviction-budget`: which hosts may leave, by the uid of their resource.",
      ifChanged:
        "Leave it. If you remove it while several evictions are about to begin, more hosts may leave at once than " +
        "`EVICTION_MAX_UNAVAILABLE` allows. If it cannot be read, no eviction begins, and a message says what to do.",
    },
    [`${lockPrefix}*`]: {
      means:
        "Yaook's own: a resource of this kind on the Node needs the L2 or OVN agent, which stays while any lock is " +
        "there.",
      ifChanged:
        "[Remove the lock](eviction.md#look) of an agent only if this agent is gone, and the lock of a compute node " +
        "only if no server is on the host. Without the lock, the L2 agent may go while servers need their networks. " +
        "While the resource serves, lock-node sets it again.",
    },
  },
  labels: {
    [maintenanceLabel]: {
      means:
        "Yaook's own: `False` lets agents and servers come to the Node. With `True`, all that needs the L2 or OVN " +
        "agent has to leave. Without the label, nothing comes, and nothing leaves.",
      ifChanged:
        "Leave it. If you set `True`, the evictions of the Node begin, where a person agrees. When the L2 agent is " +
        "Ready and is to stay, label-node sets `False` again.",
    },
  },
  finalizers: {
    [own.computeFinalizer]: {
      means: "Waits until no server is on the host, the pods are gone, and the lock is off the Node.",
      ifChanged:
        "If the resource is not being deleted, lock-node adds it again. If it is, the resource goes, and its servers " +
        "stay on the host, where no function moves them. If Holdfast has disabled nova-compute, it stays disabled. " +
        "The lock stays on the Node, so that the L2 agent never goes.",
    },
    [own.agentFinalizer]: {
      means: "Waits until other agents serve what the agent served, its pods are gone, and the lock is off the Node.",
      ifChanged:
        "If the resource is not being deleted, lock-node adds it again. If it is, the resource goes. Its routers, " +
        "networks and BGP speakers stay with an agent that may not run any more, and the lock stays on the Node.",
    },
    [own.l2Finalizer]: {
      means: "Waits until the label of the Node is `True`, no lock is on it, and the pod is gone.",
      ifChanged:
        "If the resource is not being deleted, replace-agent adds it again. If it is, the resource goes, and " +
        "Holdfast no longer looks after the pod that the networks of the Node need.",
    },
  },
  conditions: [
    {
      type: own.conditions.converged,
      on: all,
      says: "Whether everything is as the spec says. [The reasons](eviction.md#look).",
      statuses: {
        True: "It is.",
        False: "It is not yet. The message says what it waits for, and what a person must do.",
      },
    },
    {
      type: own.conditions.enabled,
      on: dependents.map(({ kind }) => kind),
      says: "Whether the host gets new servers, or the agent serves.",
      statuses: { True: "It does.", False: "It does not. The message has the reason." },
    },
    {
      type: own.conditions.evicted,
      on: dependents.map(({ kind }) => kind),
      says: "Where the eviction is. The message has the counters.",
      statuses:
        "`NotEvicting`: none is under way. `Evicting`: it is under way; with the reason `Stuck`, a person must act. " +
        "`Evicted`: nothing is left on the host.",
    },
    {
      type: own.conditions.requiresRecreation,
      on: dependents.map(({ kind }) => kind),
      says: "Whether the pod was made from another template than the present one.",
      statuses: { True: "It was. Delete the resource, and create it again when it is gone.", False: "It was not." },
    },
    {
      type: own.conditions.hostDown,
      on: [NovaComputeNode.kind],
      says: "Whether [the host counts as down](eviction.md#a-host-that-is-down).",
      statuses: {
        True: "It is down. With the reason `NotFenced`, it may still write to disks.",
        False: "nova-compute reports, or at least one check for a host that is down does not hold.",
        Unknown: "nova-compute does not report, and its servers are to stay. Holdfast does nothing.",
      },
    },
    {
      type: own.conditions.serversStuck,
      on: [NovaComputeNode.kind],
      says: "Whether servers of the host [need a person](eviction.md#servers-that-stay).",
      statuses: {
        True: "They do. Each line of the message has a server and its fault, of at most 20 servers.",
        False: "No server does any more.",
      },
    },
  ],
};
