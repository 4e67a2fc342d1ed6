import { expect, test } from "vitest";
import { anL3Agent } from "../lib/testing/network-agent.ts";
import { aPod, now } from "../lib/testing/seen.ts";
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
  expect(decision).toContain("The pod is created when it is False.");
  expect(decision).not.toContain('"Success"');
});

test.each([
  ["others have disabled", { isEnabled: false, description: "broken" }],
  ["was disabled for another resource", { isEnabled: false, description: "Holdfast evicts NeutronL3Agent yaook/x. " }],
])("what %s stays so", (_, self) => {
  expect(decide({ self })).toMatchObject({ do: "write" });
  expect(JSON.stringify(decide({ self }))).toContain("not by Holdfast");
});

test("an agent that is to leave is not enabled", () => {
  expect(decide({ self: ours, stays: false })?.do).toBe("leave");
});
