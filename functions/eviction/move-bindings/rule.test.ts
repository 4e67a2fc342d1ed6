import { expect, test } from "vitest";
import { SystemError } from "../../../shared/system/system-error.ts";
import { readMoving } from "../lib/agent-plan.ts";
import { NeutronL3Agent, NeutronOVNBGPAgent } from "../lib/kinds.ts";
import { movingKey, retryKey } from "../lib/names.ts";
import { anL3Agent } from "../lib/testing/network-agent.ts";
import { now } from "../lib/testing/seen.ts";
import { moveBindings } from "./rule.ts";

const settings = moveBindings.settings.parse({});
const { self } = anL3Agent().facts.host;
const other = { ...self, id: "b", host: "node-b" };
const host = { served: [{ id: "r", isHa: false }], agentsOf: { r: [self] }, targets: [other] };

test("where a router goes is written down before Neutron is asked", () => {
  const [decision] = moveBindings.decide({ seen: [anL3Agent({ host })] }, now, settings);
  expect(decision).toMatchObject({
    do: "call",
    command: { input: { id: "r", before: ["a"], add: "b" } },
  });
  const [note] = (decision?.do === "call" && decision.writes) || [];
  const text = JSON.stringify(note);
  expect([text.includes(movingKey), text.includes('\\"to\\":\\"b\\"')]).toEqual([true, true]);
});

test.each([
  ["when it begins", undefined, "a"],
  ["in a record that does not say so yet", {}, "a"],
  ["once only", { agent: "z" }, "z"],
])("which agent of Neutron the eviction is of is written down %s", (_, record, agent) => {
  const [decision] = moveBindings.decide({ seen: [anL3Agent({ host, ...(record ? { record } : {}) })] }, now, settings);
  expect(JSON.stringify(decision)).toContain(`\\"agent\\":\\"${agent}\\"`);
});

test("a person who asks to try again has the attempts counted from the beginning", () => {
  const record = { moving: { r: { to: "b", at: new Date(now - 3_600_000).toISOString(), tries: 3 } } };
  const agent = anL3Agent({ host, record });
  const asked = { ...agent.object.metadata, annotations: { ...agent.object.metadata.annotations, [retryKey]: "true" } };
  const before = moveBindings.decide({ seen: [agent] }, now, settings)[0];
  expect(before).toMatchObject({ do: "write", step: { name: "stuck" } });
  const seen = [{ ...agent, object: { ...agent.object, metadata: asked } }];
  expect(JSON.stringify(moveBindings.decide({ seen }, now, settings))).toContain('\\"tries\\":1');
});

test("an HA router is surely not taken away while Neutron does not say who has it", async () => {
  const standby = { ...other, haState: "standby" };
  const record = { moving: { r: { to: "b", at: new Date(now - 60_000).toISOString(), tries: 1 } } };
  const agentsOf = { r: [{ ...self, haState: "active" }, standby] };
  const agent = anL3Agent({ host: { ...host, agentsOf, served: [{ id: "r", isHa: true }] }, record });
  const [decision] = moveBindings.decide({ seen: [agent] }, now, settings);
  const away = new SystemError("OpenStack", "unreachable", "Neutron does not answer.");
  const neutron = { agentsOf: () => Promise.reject(away) };
  const sent = decision?.do === "call" && decision.command.send({ neutron }, decision.command.input);
  await expect(sent).rejects.toMatchObject({ name: "NotSent", cause: away });
  const text = agent.object.metadata.annotations?.[movingKey];
  expect(decision).toHaveProperty("unsent.patch.2.value", text);
  expect(decision).toHaveProperty("unsent.patch.1.value", expect.stringContaining('"tries":2'));
});

test("when Neutron was asked is noted by OpenStack's clock", () => {
  const at = now - 60_000;
  const [decision] = moveBindings.decide({ seen: [anL3Agent({ host: { ...host, at } })] }, now, settings);
  const [note] = (decision?.do === "call" && decision.writes) || [];
  expect(JSON.stringify(note)).toContain(new Date(at).toISOString());
});

test.each([
  [NeutronL3Agent, true],
  [NeutronOVNBGPAgent, false],
])("a $kind that waits for an agreement is looked at again where Neutron may show what it serves", (kind, isAgain) => {
  const agent = anL3Agent({ pods: [] });
  const object = { ...agent.object, kind: kind.kind, apiVersion: kind.apiVersion };
  const facts = { is: "ready", at: "unapproved", agent, stays: false } as const;
  const [decision] = moveBindings.decide({ seen: [{ ...agent, isApproved: false, object, facts }] }, now, settings);
  expect(decision).toMatchObject({ do: "write", message: expect.stringContaining("approve-eviction") });
  expect(decision !== undefined && "next" in decision).toBe(isAgain);
});

test("what a later release has noted of another router stays", () => {
  const moving = { q: { to: "b", at: new Date(now).toISOString(), tries: 1, noted: "later" } };
  const record = { moving: readMoving(anL3Agent({ record: { moving } }).object)?.moving ?? {} };
  const agentsOf = { ...host.agentsOf, q: [self] };
  const [decision] = moveBindings.decide({ seen: [anL3Agent({ host: { ...host, agentsOf }, record })] }, now, settings);
  expect(decision).toMatchObject({ do: "call", command: { input: { id: "r" } } });
  expect(JSON.stringify(decision)).toContain('\\"noted\\":\\"later\\"');
});
