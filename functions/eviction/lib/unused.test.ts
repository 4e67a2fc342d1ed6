import { expect, test } from "vitest";
import { type Kind, Node, Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { progressKey } from "../../../shared/progress.ts";
import { SystemError } from "../../../shared/system/system-error.ts";
import { releaseAgent } from "../release-agent/rule.ts";
import { releaseCompute } from "../release-compute/rule.ts";
import { NeutronL3Agent, NeutronOVNBGPAgent, NovaComputeNode } from "./kinds.ts";
import { agentFinalizer, computeFinalizer, conditions, movingKey, recordKey } from "./names.ts";
import type { NetworkAgent, Served } from "./openstack/neutron.ts";
import type { ComputeService, Migration, Server } from "./openstack/nova.ts";
import { common } from "./settings.ts";
import { aCompute, aMove, aNode, aPod, aServer, aService, now } from "./testing/seen.ts";

/** What there is: by default a resource with its lock on a Node that asks it to leave, and nothing in OpenStack. */
interface There {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly status?: NonNullable<Parameters<typeof aCompute>[0]>["status"];
  readonly isDeleted?: boolean;
  readonly node?: KubernetesObject | undefined;
  readonly pod?: KubernetesObject;
  /** The kind of a resource whose lock has the same name. */
  readonly beside?: Kind;
  readonly services?: readonly ComputeService[];
  readonly servers?: readonly Server[];
  readonly migrations?: readonly Migration[];
  readonly agents?: readonly NetworkAgent[];
  readonly served?: readonly Served[];
  readonly isAway?: boolean;
  /** Nova's API is older than 2.69. */
  readonly isOldNova?: boolean;
}

/** What a rule does about such a resource, as text; what Nova and Neutron answer is given. */
async function done(kind: Kind, there: There): Promise<string> {
  const rule = kind === NovaComputeNode ? releaseCompute : releaseAgent;
  const { annotations = {}, status, isDeleted, services = [], agents = [] } = there;
  const finalizers = [kind === NovaComputeNode ? computeFinalizer : agentFinalizer];
  const deletion = isDeleted ? { deletionTimestamp: "2026-01-01T11:00:00Z" } : {};
  const { object } = aCompute({ metadata: { annotations, finalizers, ...deletion }, ...(status ? { status } : {}) });
  const node = "node" in there ? there.node : aNode("True", kind.kind);
  const live = { ...object, kind: kind.kind, apiVersion: kind.apiVersion };
  const others = { kind: there.beside?.kind, metadata: live.metadata, spec: { lockName: kind.kind } };
  const client = {
    get: async (asked: Kind) =>
      asked === Node ? node : asked === Pod ? there.pod : asked === kind ? live : asked === there.beside && others,
    list: async function* () {},
  };
  const answer = async <T>(what: T) => {
    if (there.isAway) throw new SystemError("OpenStack", "unreachable", "It does not answer.");
    return what;
  };
  const nova = {
    service: (host: string) => answer(services.find((service) => service.host === host)),
    namesLostCells: () => answer(!there.isOldNova),
    services: () => answer(services),
    servers: () => answer(there.servers ?? []),
    migrations: () => answer(there.migrations ?? []),
    now: () => answer(now),
  };
  const neutron = { agents: () => answer(agents), served: () => answer(there.served ?? []) };
  const settings = common.parse({});
  const view = { client, openstack: { nova, neutron }, settings };
  const subject = { kind, namespace: "yaook", name: "node-a" };
  const seen = await (rule as typeof releaseCompute).look(subject, view as never);
  const [decision] = (rule as typeof releaseCompute).decide(seen, now, settings);
  return JSON.stringify({ ...decision, about: undefined });
}

const unlocks = /l2-lock[^"]*":null/;
const releases = /"op":"remove","path":"\/metadata\/finalizers\/0"/;
const down = aService({ state: "down" });

test.each<[string, There, RegExp]>([
  ["that Nova does not know", {}, unlocks],
  ["that Nova does not know, and that is being deleted", { isDeleted: true, node: aNode(undefined) }, releases],
  ["whose Node is gone, and that is being deleted", { isDeleted: true, node: undefined }, releases],
  ["whose Node has no lock, and that is being deleted", { isDeleted: true, node: aNode("True") }, releases],
  ["beside a host of another name", { services: [aService({ host: "node-b" })] }, unlocks],
  ["that was evicted before", { services: [down] }, unlocks],
])("a compute node without signs of service %s goes without an agreement", async (_, there, goes) => {
  expect(await done(NovaComputeNode, there)).toMatch(goes);
});

test.each<[string, There]>([
  ["it has a pod", { pod: aPod(true, { annotations: { "holdfast.dev/agent-uid": "u1" } }) }],
  ["a pod that was made for another resource is there", { pod: aPod() }],
  ["it has the condition Enabled", { status: { conditions: [{ type: conditions.enabled, status: "False" }] } }],
  ["it has a damaged record of an eviction", { annotations: { [recordKey]: "{}" } }],
  ["it was enabled", { annotations: { [progressKey("eviction/enable-compute")]: "{}" } }],
  ["it is not to go", { node: aNode("False", "NovaComputeNode") }],
  ["nova-compute reports", { services: [aService()] }],
  ["nova-compute is enabled", { services: [aService({ state: "down", isEnabled: true })] }],
  ["a server is on the host", { services: [down], servers: [aServer()] }],
  ["a move is open", { services: [down], migrations: [aMove()] }],
  ["Nova lists a server of a host that it does not know", { servers: [aServer()] }],
  ["Nova does not name hosts whose cell is away", { isOldNova: true }],
  ["Nova has a host of that name and a domain", { services: [aService({ host: "Node-A.example" })] }],
  ["an agent has a lock of the same name", { beside: NeutronL3Agent }],
  ["OpenStack is away", { isAway: true }],
])("a compute node keeps lock and finalizer if %s", async (_, there) => {
  for (const isDeleted of [false, true]) {
    const is = await done(NovaComputeNode, { ...there, isDeleted: isDeleted && !("node" in there) });
    expect(is).not.toMatch(unlocks);
    expect(is).not.toMatch(releases);
  }
});

test("a rule that cannot ask OpenStack says so on the resource", async () => {
  expect(await done(NovaComputeNode, { isAway: true })).toMatch(/waits for OpenStack.*"conditions"/);
});

const gone: NetworkAgent = {
  ...{ id: "a", host: "node-a", isAlive: false, isEnabled: false, description: "", isCentral: true },
  haState: undefined,
};

test("an agent without signs of service goes without an agreement if it serves nothing in Neutron", async () => {
  expect(await done(NeutronL3Agent, { agents: [{ ...gone, host: "node-b" }] })).toMatch(unlocks);
  expect(await done(NeutronL3Agent, { agents: [gone] })).toMatch(unlocks);
});

test.each<[string, There]>([
  ["serves a router", { agents: [gone], served: [{ id: "r", isHa: false }] }],
  ["is alive", { agents: [{ ...gone, isAlive: true }] }],
  ["is enabled", { agents: [{ ...gone, isEnabled: true }] }],
  ["may have another name in Neutron", { agents: [{ ...gone, host: "node-a.example" }] }],
  ["has a damaged record of an eviction", { annotations: { [movingKey]: "{}" } }],
  ["is one of no agents that Neutron lists, as for a member of a project", {}],
  ["shares the lock with a compute node", { agents: [gone], beside: NovaComputeNode }],
])("an agent keeps its lock if it %s", async (_, there) => {
  expect(await done(NeutronL3Agent, there)).not.toMatch(unlocks);
});

test("an OVN BGP agent keeps its lock until a person agrees, because Neutron lists nothing of it", async () => {
  expect(await done(NeutronOVNBGPAgent, {})).not.toMatch(unlocks);
});

test("of two that are deleted with one lock, the first by kind goes without it, and the other one waits", async () => {
  const first = await done(NeutronL3Agent, { agents: [gone], beside: NovaComputeNode, isDeleted: true });
  expect(first).toMatch(releases);
  expect(first).not.toMatch(unlocks);
  const last = await done(NovaComputeNode, { services: [down], beside: NeutronL3Agent, isDeleted: true });
  expect(last).toContain("until the NeutronL3Agent is gone");
  expect(last).not.toMatch(releases);
  expect(await done(NovaComputeNode, { services: [down], isDeleted: true })).toMatch(unlocks);
});
