import { expect, test } from "vitest";
import { aHost, aLeaving, aNode, aRecord, aServer, aService, now, takesBack } from "../lib/testing/seen.ts";
import { shutDownHost } from "./rule.ts";

const settings = shutDownHost.settings.parse({});
const at = (ago: number) => new Date(now - ago).toISOString();

/** What is decided of a host that is down and on, by its record. */
function decide(record: object) {
  const down = { since: at(900_000), reported: at(960_000), ready: at(960_000) };
  const service = aService({ state: "down", reported: now - 960_000 });
  const services = [service, aService({ host: "node-b" }), aService({ host: "node-c" })];
  const scheduler = aService({ binary: "nova-scheduler" });
  const power = { state: "power on", isOff: false, target: undefined };
  const ready = { type: "Ready", status: "Unknown", lastTransitionTime: at(960_000) };
  const node = { ...aNode(undefined), status: { conditions: [ready] } };
  const spec = { eviction: { ironicNodeShutdown: { node: "machine" } } };
  const metadata = { annotations: aRecord({ down, ...record }) };
  const outage = { services: [...services, scheduler], power, evacuated: [] };
  const seen = aLeaving(aHost({ service, servers: [aServer()] }), { metadata, spec, node }, outage);
  return shutDownHost.decide({ seen: [seen], others: [] }, now, settings)[0];
}

test.each([
  ["the first call", {}],
  ["a later call", { shutdown: at(90_000) }],
])("what was noted of %s that is not sent is taken back", (_, record) => {
  const decision = decide(record);
  expect(decision).toMatchObject({ do: "call", command: { name: "turn a host off" } });
  expect(decision).toHaveProperty("unsent", takesBack(decision));
});

test("that Ironic has agreed is noted when it has answered, and not when it refuses", () => {
  const decision = decide({});
  expect(decision).toMatchObject({ answered: { patch: expect.anything() } });
  expect(JSON.stringify(decision && "answered" in decision && decision.answered)).toContain("accepted");
  expect(decision).not.toHaveProperty("refused");
});
