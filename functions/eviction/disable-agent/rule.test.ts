import { expect, test } from "vitest";
import { anL3Agent } from "../lib/testing/network-agent.ts";
import { now } from "../lib/testing/seen.ts";
import { disableAgent } from "./rule.ts";

const settings = disableAgent.settings.parse({});
const decide = (agent: Parameters<typeof anL3Agent>[0]) =>
  disableAgent.decide({ seen: [anL3Agent(agent)] }, now, settings)[0];
const ago = (ms: number) => ({ disabled: new Date(now - ms).toISOString() });

test("an agent is disabled only when it serves nothing more, and its description keeps what it was", () => {
  const served = [{ id: "r", isHa: false }];
  expect(decide({ host: { served } })?.do).toBe("leave");
  expect(decide({ record: { moving: { r: { to: "b", at: new Date(now).toISOString(), tries: 1 } } } })?.do).toBe(
    "leave",
  );
  const first = decide({ self: { description: "rack 7" } });
  expect(JSON.stringify(first?.do === "call" && first.writes)).toContain('\\"agent\\":\\"a\\"');
  expect(first).toMatchObject({
    do: "call",
    command: { input: { isEnabled: false, description: "Holdfast evicts NeutronL3Agent yaook/node-a. rack 7" } },
  });
});

test("one that others have disabled is left as it is, and looked at once more all the same", () => {
  expect(decide({ self: { isEnabled: false } })).toMatchObject({ do: "write", next: now + 5000 });
  expect(decide({ self: { isEnabled: false }, record: ago(4000) })).toMatchObject({ do: "write", next: now + 1000 });
  expect(decide({ self: { isEnabled: false }, record: ago(5000) })?.do).toBe("leave");
});

test("it is not asked for again while the last request may still be carried out", () => {
  expect(decide({ record: ago(1000) })).toMatchObject({ do: "write", step: { name: "waiting" } });
  expect(decide({ record: ago(5000) })?.do).toBe("call");
});

test("when it was disabled is noted, and compared, by OpenStack's clock", () => {
  const minute = 60_000;
  const at = now - minute;
  const [noted] = [decide({ host: { at } })].map((one) => (one?.do === "call" ? one.writes : []));
  expect(JSON.stringify(noted)).toContain(new Date(at).toISOString());
  const disabled = { self: { isEnabled: false }, record: ago(minute + 1000) };
  expect(decide({ ...disabled, host: { at } })).toMatchObject({ do: "write", next: now + 4000 });
  expect(decide({ ...disabled, host: { at: at + 4000 } })?.do).toBe("leave");
});
