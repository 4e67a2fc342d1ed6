import { expect, test } from "vitest";
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

test("a person who asks to try again has the attempts counted from the beginning", () => {
  const record = { moving: { r: { to: "b", at: new Date(now - 3_600_000).toISOString(), tries: 3 } } };
  const agent = anL3Agent({ host, record });
  const asked = { ...agent.object.metadata, annotations: { ...agent.object.metadata.annotations, [retryKey]: "true" } };
  const before = moveBindings.decide({ seen: [agent] }, now, settings)[0];
  expect(before).toMatchObject({ do: "write", step: { name: "stuck" } });
  const seen = [{ ...agent, object: { ...agent.object, metadata: asked } }];
  expect(JSON.stringify(moveBindings.decide({ seen }, now, settings))).toContain('\\"tries\\":1');
});
