import { expect, test } from "vitest";
import { anL3Agent } from "../lib/testing/network-agent.ts";
import { now } from "../lib/testing/seen.ts";
import { releaseAgent } from "./rule.ts";

const settings = releaseAgent.settings.parse({});
const over = { disabled: new Date(now - 5000).toISOString() };
const decide = (agent: Parameters<typeof anL3Agent>[0]) =>
  releaseAgent.decide(
    { seen: [anL3Agent({ self: { isEnabled: false }, record: over, ...agent })], sharer: undefined },
    now,
    settings,
  )[0];

test("the pod goes first, then the lock", () => {
  expect(JSON.stringify(decide({}))).toContain('"verb":"delete"');
  expect(JSON.stringify(decide({ pods: [] }))).toContain('"l2-lock.maintenance.yaook.cloud/NeutronL3Agent":null');
});

test.each<[string, Parameters<typeof anL3Agent>[0]]>([
  ["still serves something", { host: { served: [{ id: "r", isHa: false }] } }],
  ["was enabled again", { self: { isEnabled: true } }],
  ["was disabled just now", { record: { disabled: new Date(now - 4999).toISOString() } }],
  ["is to stay", { stays: true }],
])("nothing goes of an agent that %s", (_, agent) => expect(decide(agent)?.do).toBe("leave"));
