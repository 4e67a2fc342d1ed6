import { expect, test } from "vitest";
import { type AgentHost, planAgent } from "./agent-plan.ts";
import { dhcp, l3, type NetworkAgent } from "./openstack/neutron.ts";
import { anL3Agent } from "./testing/network-agent.ts";
import { now } from "./testing/seen.ts";

const agent = (id: string, more: Partial<NetworkAgent> = {}): NetworkAgent => ({
  ...{ id, host: `host-${id}`, isAlive: true, isEnabled: true, description: "", isCentral: true, haState: undefined },
  ...more,
});
const [self, other] = [agent("a"), agent("b")];
const aHost = (agents: readonly NetworkAgent[] | undefined, more: Partial<AgentHost> = {}): AgentHost => ({
  ...{ service: l3, self, served: [{ id: "r", isHa: false }], agentsOf: { r: agents }, leaving: [], targets: [other] },
  object: anL3Agent().object,
  at: now,
  ...more,
});
const settings = { evictionMoves: 2, evictionAttempts: 3, evictionLookAgain: 20_000 };
const move = (ago: number, tries = 1) => ({ to: "b", at: new Date(now - ago).toISOString(), tries });
const plan = (host: AgentHost, moving: Record<string, ReturnType<typeof move>> = {}, begins = true) =>
  planAgent(host, { moving, moved: 0 }, begins, settings);

test("a router is taken from its agent and then added, a network added first, and taken only then", () => {
  expect(plan(aHost([self])).next).toEqual({ id: "r", before: ["a"], add: "b", after: [] });
  expect(plan(aHost([self], { service: dhcp })).next).toEqual({ id: "r", before: [], add: "b", after: ["a"] });
});

test("a router comes back when its eviction is called off, if no live agent gets it, after all attempts, too", () => {
  const standby = agent("b", { haState: "standby" });
  const ha = aHost([standby], { served: [] });
  expect(plan(ha, { r: move(40_000) }, false).next).toMatchObject({ add: "a" });
  expect(plan(ha, { r: move(40_000) }).next).toBeUndefined();
  const dead = aHost([agent("b", { isAlive: false })], { served: [], targets: [] });
  expect(plan(dead, { r: move(300_000, 3) }, false).next).toMatchObject({ before: ["b"], add: "a" });
});

test("a router that is on no agent, and that none can take, needs a person", () => {
  const lost = aHost([], { served: [], targets: [], self: { ...self, isAlive: false } });
  expect(plan(lost, { r: move(40_000) }, false).counters).toMatchObject({ in_progress: 0, unhandleable: 1 });
});

test("a router without an agent goes where it was to go, as soon as the last request is old enough", () => {
  const nowhere = aHost([], { served: [], targets: [agent("c"), agent("d"), other] });
  expect(plan(nowhere, { r: move(5000) }).next).toBeUndefined();
  expect(plan(nowhere, { r: move(20_000) }).next).toMatchObject({ add: "b" });
  expect(plan(nowhere, { r: move(20_000) }).moving).toHaveProperty("r");
});

test("a router has moved when an agent that is alive has it, and is moved on from one that has died", () => {
  expect(plan(aHost([other], { served: [] }), { r: move(1000) })).toMatchObject({ moving: {}, moved: 1 });
  const dead = aHost([agent("b", { isAlive: false })], { served: [], targets: [agent("c")] });
  expect(plan(dead, { r: move(60_000) })).toMatchObject({ next: { before: ["a", "b"], add: "c" }, moved: 0 });
  expect(plan(aHost(undefined, { served: [] }), { r: move(0) }).moving).toEqual({});
});

test("a network that another live agent has is taken from this one at once", () => {
  expect(plan(aHost([self, other], { service: dhcp })).next).toEqual({
    ...{ id: "r", before: [], add: undefined, after: ["a"] },
  });
});

test.each([
  ["leaves as well", { leaving: ["host-b"] }, {}],
  ["is disabled", {}, { isEnabled: false }],
])("a network or an HA router is not taken from an agent while the only other one %s", (_, more, state) => {
  const network = aHost([self, agent("b", state)], { service: dhcp, targets: [], ...more });
  expect(plan(network)).toMatchObject({ next: undefined, stuck: [expect.stringContaining("No other DHCP agent")] });
  const later = { ...network, targets: [agent("c")] };
  expect(plan(later).next).toEqual({ id: "r", before: [], add: "c", after: ["a"] });
  const both = [agent("a", { haState: "active" }), agent("b", { haState: "standby", ...state })];
  const router = aHost(both, { served: [{ id: "r", isHa: true }], targets: [], ...more });
  expect(plan(router, { r: move(30_000) }).next).toBeUndefined();
});

test.each([
  ["only here", [agent("a", { haState: "active" })], { add: "b", after: [] }],
  ["stands by elsewhere", [agent("a", { haState: "active" }), agent("b", { haState: "standby" })], { after: ["a"] }],
  ["is active elsewhere", [agent("a", { haState: "standby" }), agent("b", { haState: "active" })], { after: ["a"] }],
  ["stands by everywhere", [agent("a", { haState: "standby" }), agent("b", { haState: "standby" })], undefined],
])("an HA router that is %s", (_, agents, next) => {
  const host = aHost(agents, { served: [{ id: "r", isHa: true }] });
  const found = plan(host, { r: move(30_000) }).next;
  if (next) expect(found).toMatchObject(next);
  else expect(found).toBeUndefined();
  expect(plan(host, { r: move(29_000) }).next).toBeUndefined();
});

test("without a target nothing moves and it says so; after the last attempt a person is asked", () => {
  expect(plan(aHost([self], { targets: [] }))).toMatchObject({
    next: undefined,
    counters: { unhandleable: 1, migratable: 0 },
    stuck: [expect.stringContaining("No other L3 agent that is alive and enabled")],
  });
  expect(plan(aHost([self]), { r: move(3_600_000, 3) })).toMatchObject({
    next: undefined,
    stuck: [
      expect.stringContaining(
        "run `kubectl annotate neutronl3agent -n yaook node-a holdfast.dev/retry-eviction=true` to",
      ),
    ],
  });
});

const kept = (moving: Record<string, ReturnType<typeof move>>, host: AgentHost) => {
  const { next, moving: left, moved } = plan(host, moving, false);
  return { next, left: Object.keys(left), moved };
};
const [soon, late] = [move(600_000, 3), move(600_001, 3)];

test("an eviction that was called off begins no move, and ends the open one", () => {
  expect(plan(aHost([self]), {}, false).next).toBeUndefined();
  expect(plan(aHost([], { served: [] }), { r: move(60_000) }, false).next).toMatchObject({ add: "b" });
});

test.each([
  ["alone", aHost([self])],
  ["as Neutron says in one answer of two", aHost([])],
  ["with another one", aHost([self, other], { service: dhcp })],
  ["as an HA router", aHost([agent("a", { haState: "active" }), agent("b", { haState: "standby" })])],
  ["while it does not report", aHost([agent("a", { isAlive: false })], { self: agent("a", { isAlive: false }) })],
])(
  "what the agent serves %s stays when its eviction is called off, and is watched while a request may come",
  (_, host) => {
    expect(kept({ r: soon }, host)).toEqual({ next: undefined, left: ["r"], moved: 0 });
    expect(kept({ r: late }, host)).toEqual({ next: undefined, left: [], moved: 0 });
    expect(plan(host, { r: soon }, false).stuck).toEqual([]);
  },
);

test.each([
  ["no agent has", [], { before: [], add: "a", after: [] }],
  ["a dead one has", [agent("b", { isAlive: false })], { before: ["b"], add: "a", after: [] }],
])("a router that %s comes back to the agent that stays, if no other one can take it", (_, agents, next) => {
  const host = { served: [], targets: [] };
  expect(kept({ r: move(60_000) }, aHost(agents, host)).next).toEqual({ id: "r", ...next });
  expect(kept({ r: late }, aHost(agents, { ...host, self: agent("a", { isAlive: false }) }))).toEqual({
    ...{ next: undefined, left: ["r"], moved: 0 },
  });
  for (const more of [{ isEnabled: false }, { isCentral: false }])
    expect(kept({ r: move(60_000) }, aHost(agents, { ...host, self: agent("a", more) })).next).toBeUndefined();
  expect(plan(aHost(agents, host), { r: move(60_000) }).next).toBeUndefined();
});

test("a network that comes back to the agent that stays is not taken from it again", () => {
  const dead = aHost([agent("b", { isAlive: false })], { service: dhcp, served: [], targets: [] });
  expect(kept({ r: move(60_000) }, dead).next).toEqual({ id: "r", before: [], add: "a", after: ["b"] });
});

test("a router that another agent refuses is offered to the one that stays", () => {
  const host = aHost([], { served: [] });
  const offered = [1, 2, 3].map((tries) => kept({ r: move(3_600_000, tries) }, host).next?.add);
  expect([offered[0], offered.slice(1).toSorted()]).toEqual(["b", ["a", "b"]]);
});

test("no more moves are open at a time than the setting says", () => {
  const served = ["r", "s", "t"].map((id) => ({ id, isHa: false }));
  const agentsOf = { r: [self], s: [self], t: [self] };
  expect(plan(aHost([self], { served, agentsOf }), { r: move(0), s: move(0) }).next).toBeUndefined();
  expect(plan(aHost([self], { served, agentsOf }), { r: move(0) }).next).toMatchObject({ id: "s" });
});

test("what was asked is as old as OpenStack's clock says, also if the clocks of two instances differ", () => {
  const added = aHost([agent("a", { haState: "active" }), agent("b", { haState: "standby" })], {
    served: [{ id: "r", isHa: true }],
  });
  const plans = [1000, 60_000].map((later) => plan({ ...added, at: now + later }, { r: move(0) }).next);
  expect(plans).toEqual([undefined, expect.objectContaining({ after: ["a"] })]);
});
