import { expect, test } from "vitest";
import { Contended } from "../../../shared/contended.ts";
import { abandonKey } from "../lib/names.ts";
import type { NetworkAgent } from "../lib/openstack/neutron.ts";
import { anL3Agent } from "../lib/testing/network-agent.ts";
import { aNode, aPod, now } from "../lib/testing/seen.ts";
import { enableAgentRule } from "./rule.ts";

const settings = enableAgentRule.settings.parse({});
const decide = (agent: Parameters<typeof anL3Agent>[0]) =>
  enableAgentRule.decide({ seen: [anL3Agent({ stays: true, ...agent })] }, now, settings)[0];
const ours = { isEnabled: false, description: "Holdfast evicts NeutronL3Agent yaook/node-a. rack 7" };

test("what Holdfast has disabled is enabled with its former description, when pod and agent are there", () => {
  expect(decide({ self: ours })).toMatchObject({
    do: "call",
    command: { input: { isEnabled: true, description: "rack 7" } },
  });
  expect(decide({ self: { ...ours, isAlive: false } })?.do).toBe("write");
  expect(decide({ self: ours, pods: [aPod(false)] })?.do).toBe("write");
});

test("an agent whose eviction has ended is looked at once more after ten minutes, because a call may come late", () => {
  expect(decide({ record: {} })).toMatchObject({ step: { name: "settling" }, next: now + 600_000 });
  expect(decide({})).not.toHaveProperty("step");
});

test("an agent whose eviction has ended does not serve without a pod, and says what the pod waits for", () => {
  const decision = JSON.stringify(decide({ pods: [], record: {} }));
  expect(decision).toContain("the pod comes only when it is False.");
  expect(decision).not.toContain('"Success"');
});

test("an agent whose pod is yet to be created does not serve, and keeps its record until it does", () => {
  const node = aNode("False", "NeutronL3Agent");
  const decision = decide({ pods: [], record: {}, node });
  expect(decision).toMatchObject({ do: "write", step: { name: "waiting" }, next: now + 20_000 });
  expect(JSON.stringify(decision)).toContain("Holdfast creates its pod on the Node.");
  expect(JSON.stringify(decision)).not.toMatch(/"Success"|:null/);
});

test.each([
  ["others have disabled", { isEnabled: false, description: "broken" }],
  ["was disabled for another resource", { isEnabled: false, description: "Holdfast evicts NeutronL3Agent yaook/x. " }],
])("what %s stays so", (_, self) => {
  expect(decide({ self })).toMatchObject({ do: "write" });
  expect(JSON.stringify(decide({ self }))).toContain("not by Holdfast");
});

test("an agent that is to leave is not enabled", () => expect(decide({ self: ours, stays: false })?.do).toBe("leave"));

test("an agent that a person has changed in Neutron since the look is left alone, and is looked at again", async () => {
  const decision = decide({ self: ours });
  const seen = anL3Agent({ self: ours }).facts.host.self;
  const changesOf = async (live: NetworkAgent | undefined) => {
    const made: unknown[] = [];
    const agents = async () => (live ? [live] : []);
    const neutron = { agents, enable: async (...change: readonly unknown[]) => void made.push(change) };
    if (decision?.do === "call") await decision.command.send({ neutron }, decision.command.input);
    return made;
  };
  expect(await changesOf({ ...seen, isAlive: false })).toEqual([["a", true, "rack 7"]]);
  for (const live of [undefined, { ...seen, isEnabled: true }, { ...seen, description: "broken" }])
    await expect(changesOf(live)).rejects.toThrow(Contended);
});

test("what a person says of the next eviction stays while calls of the last one may still come", () => {
  const agent = anL3Agent({ stays: true });
  const annotations = { [abandonKey]: "node-a" };
  const object = { ...agent.object, metadata: { ...agent.object.metadata, annotations } };
  const seen = (isAsked: boolean) => [
    { ...agent, object, isAsked, facts: { ...agent.facts, agent: { ...agent.facts.agent, object, isAsked } } },
  ];
  const texts = [true, false].map((isAsked) =>
    JSON.stringify(enableAgentRule.decide({ seen: seen(isAsked) }, now, settings)),
  );
  expect(texts.map((text) => text.includes(`"${abandonKey}":null`))).toEqual([false, true]);
  expect(texts.map((text) => text.includes("when you agree"))).toEqual([true, false]);
});
