import { expect, test } from "vitest";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { type Kind, Node, Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Rule } from "../../../shared/rule.ts";
import { SystemError } from "../../../shared/system/system-error.ts";
import { confirmOutage } from "../confirm-outage/rule.ts";
import { disableAgent } from "../disable-agent/rule.ts";
import { disableCompute } from "../disable-compute/rule.ts";
import { enableAgentRule } from "../enable-agent/rule.ts";
import { enableCompute } from "../enable-compute/rule.ts";
import { evacuateServers } from "../evacuate-servers/rule.ts";
import { keepPod } from "../keep-pod/rule.ts";
import { lockNode } from "../lock-node/rule.ts";
import { moveBindings } from "../move-bindings/rule.ts";
import { moveServers } from "../move-servers/rule.ts";
import { releaseAgent } from "../release-agent/rule.ts";
import { releaseCompute } from "../release-compute/rule.ts";
import { shutDownHost } from "../shut-down-host/rule.ts";
import { createPod } from "./agent-pod.ts";
import { noMoves } from "./compute-node.ts";
import { NeutronL3Agent, NeutronOVNBGPAgent, NovaComputeNode } from "./kinds.ts";
import { approvalKey, conditions, finalizerOf, movingKey } from "./names.ts";
import type { NetworkAgent } from "./openstack/neutron.ts";
import type { ComputeService } from "./openstack/nova.ts";
import type { DependentObject } from "./schema.ts";
import { common } from "./settings.ts";
import { aCompute, aNode, aPod, aRecord, aServer, aService, now } from "./testing/seen.ts";

const ofCompute = [disableCompute, confirmOutage, shutDownHost, evacuateServers, moveServers, releaseCompute];
const ofAgents = [moveBindings, disableAgent, releaseAgent, enableAgentRule];
const rulesOf = (kind: Kind) =>
  [...(kind === NovaComputeNode ? [...ofCompute, enableCompute] : ofAgents), keepPod, lockNode] as unknown as Rule[];

/** The one that Nova knows, one that Neutron knows, and the one that neither knows. */
const kinds: readonly Kind[] = [NovaComputeNode, NeutronL3Agent, NeutronOVNBGPAgent];
const states = ["Enabled", "Disabled", "DisabledAndCleared", "deleted"] as const;
const labels = ["no Node", undefined, "False", "True"] as const;
const pods = ["none", "its own", "another's", "none, kept by others", "one, kept by others"] as const;
const ago = new Date(now - 3_600_000).toISOString();
const moving = (more: object) => ({ [movingKey]: JSON.stringify({ v: 1, uid: "u1", moved: 0, moving: {}, ...more }) });
const recordsOf = (kind: Kind): readonly Record<string, string>[] =>
  kind === NovaComputeNode
    ? [
        {},
        aRecord({ baseline: noMoves }),
        aRecord({ empty: ago }),
        aRecord({ hard: ago, forced: { at: ago, reported: ago } }),
      ]
    : [{}, moving({}), moving({ disabled: ago })];

const forced = { isForcedDown: true, state: "down" } as const;
const clouds: Readonly<Record<string, { readonly nova?: Partial<ComputeService>; neutron?: Partial<NetworkAgent> }>> = {
  unknown: {},
  away: {},
  serving: { nova: { isEnabled: true, disabledReason: undefined }, neutron: {} },
  "disabled by Holdfast": {
    nova: {},
    neutron: { isEnabled: false, description: "Holdfast evicts KIND yaook/node-a. " },
  },
  "disabled by Holdfast, and down": {
    nova: { state: "down" },
    neutron: { isEnabled: false, isAlive: false, description: "Holdfast evicts KIND yaook/node-a. " },
  },
  "disabled by others": { nova: { disabledReason: "repair" }, neutron: { isEnabled: false } },
  "forced down by Holdfast": {
    nova: { ...forced, disabledReason: `${aService().disabledReason}, and has forced it down` },
  },
  "forced down by others": { nova: { ...forced, disabledReason: "repair" } },
  "evicted by Yaook": { nova: {} },
};

/** The whole of what the rules read of a resource. */
interface Found {
  readonly kind: Kind;
  readonly state: (typeof states)[number];
  readonly label: (typeof labels)[number];
  readonly pod: (typeof pods)[number];
  readonly record: Record<string, string>;
  readonly isApproved: boolean;
  readonly isServing: boolean;
  readonly cloud: string;
}

function* allOf(kind: Kind): Generator<Found> {
  for (const state of states)
    for (const label of labels)
      for (const pod of pods)
        for (const record of recordsOf(kind))
          for (const isApproved of [false, true])
            for (const isServing of [false, true])
              for (const cloud of Object.keys(clouds)) {
                const isOfNova = clouds[cloud]?.nova !== undefined && clouds[cloud].neutron === undefined;
                if (kind !== NovaComputeNode && (state === "Disabled" || isOfNova)) continue;
                yield { kind, state, label, pod, record, isApproved, isServing, cloud };
              }
}

const condition = (type: string) => ({ type, status: "True", reason: "Said", message: "It was." });

function objectOf({ kind, state, pod, record, isApproved, isServing }: Found): DependentObject {
  const isKeptByOthers = pod.endsWith("by others");
  const schedulingLabel = { key: "agent", value: "yes" };
  const { object } = aCompute({
    metadata: {
      finalizers: [finalizerOf(kind)],
      annotations: { ...record, ...(isApproved ? { [approvalKey]: "true" } : {}) },
      ...(state === "deleted" ? { deletionTimestamp: ago } : {}),
    },
    spec: {
      ...(state === "deleted" ? {} : { state }),
      ...(isKeptByOthers ? { template: undefined, selector: { matchLabels: { app: "agent" }, schedulingLabel } } : {}),
    },
    status: { conditions: isServing ? [conditions.enabled, conditions.converged].map(condition) : [] },
  });
  return { ...object, apiVersion: kind.apiVersion, kind: kind.kind };
}

/** What a rule reads of the resource; what it writes besides the status changes nothing of that. */
function viewOf(found: Found, object: DependentObject) {
  const { kind, label, pod, cloud } = found;
  const node = label === "no Node" ? undefined : aNode(label, kind.kind);
  const created = createPod({ ...object, spec: { template: object.spec.template ?? {} } } as DependentObject);
  const own = created.verb === "create" ? { ...created.object, status: aPod().status } : aPod();
  const byName = { "its own": own, "another's": aPod() }[pod as string];
  const client: Partial<Client> = {
    get: (async ({ kind }: Kind) => ({ [Node.kind]: node, [Pod.kind]: byName, [object.kind]: object })[kind]) as never,
    list: async function* (kind: Kind, options?: { readonly labelSelector?: string }) {
      if (kind !== Pod) return;
      if (options?.labelSelector === "app=agent" && pod === "one, kept by others") yield aPod();
      if (options?.labelSelector === "app=compute-evict" && cloud === "evicted by Yaook")
        yield aPod(true, { name: "compute-evict-node-a-1" });
    } as never,
  };
  const asked = async <T>(answer: T): Promise<T> => {
    if (cloud === "away") throw new SystemError("OpenStack", "unreachable", "OpenStack does not answer.");
    return answer;
  };
  const { nova, neutron } = clouds[cloud] ?? {};
  const service = nova && aService({ reported: now - 3_600_000, ...nova });
  const description = neutron?.description?.replace("KIND", kind.kind) ?? "";
  const agent = { id: "a", host: "node-a", isAlive: true, isEnabled: true, isCentral: true, haState: undefined };
  const openstack = {
    nova: {
      service: () => asked(service),
      services: () => asked(service ? [service] : []),
      namesLostCells: () => asked(true),
      servers: () => asked(cloud === "disabled by others" ? [aServer()] : []),
      server: () => asked(undefined),
      migrations: () => asked([]),
      now: () => asked(now),
    },
    neutron: {
      agents: () => asked(neutron ? [{ ...agent, ...neutron, description }] : []),
      served: () => asked([]),
    },
  };
  return { client, openstack, settings: common.parse({}) };
}

/** The status that the writes of a rule leave; `undefined` where they leave it as it is. */
async function statusBy(rule: Rule, found: Found, object: DependentObject) {
  // The sweep asks for more than an event does.
  const subject = { kind: found.kind, namespace: "yaook", name: "node-a", resync: true };
  const view = viewOf(found, object);
  const decisions = rule.decide(await rule.look(subject, view as never), now, view.settings);
  return decisions
    .flatMap((decision) => (decision.do === "write" || decision.do === "call" ? (decision.writes ?? []) : []))
    .flatMap((write) =>
      write.verb === "patch" && write.options?.subresource === "status"
        ? [(write.patch as KubernetesObject & Pick<DependentObject, "status">).status]
        : [],
    )
    .at(-1);
}

const saidBy = ({ conditions: all = [] }: NonNullable<DependentObject["status"]>) => {
  const { status, reason, message } = all.find(({ type }) => type === conditions.converged) ?? {};
  return [status, reason, message].join(" ");
};

test.each(kinds)("the rules about a $kind never write over each other", async (kind) => {
  const unsettled: string[] = [];
  for (const found of allOf(kind)) {
    let object = objectOf(found);
    const said: string[] = [];
    for (const round of [1, 2])
      for (const rule of rulesOf(kind)) {
        const status = await statusBy(rule, found, object);
        if (!status) continue;
        object = { ...object, status };
        if (round > 1) said.push(`${rule.name}: ${saidBy(status)}`);
      }
    if (said.length > 0) unsettled.push([JSON.stringify(found), ...said].join("\n"));
  }
  expect(unsettled.slice(0, 3).join("\n"), `${unsettled.length} cases`).toBe("");
});
