import { expect, test } from "vitest";
import { fencedKey } from "../lib/names.ts";
import { aHost, aLeaving, aNode, aPod, aRecord, aServer, aService, now } from "../lib/testing/seen.ts";
import { evacuateServers } from "./rule.ts";

const settings = evacuateServers.settings.parse({});
const at = (ago: number) => new Date(now - ago).toISOString();

/** What is decided of a host that is forced down, and whose service a person has answered for, changed so long ago. */
function changed(ago: number) {
  const down = { since: at(900_000), reported: at(960_000), ready: at(960_000) };
  const record = { down, hard: at(600_000), forced: { at: at(590_000), reported: at(600_000) } };
  const metadata = { annotations: { ...aRecord(record), [fencedKey]: at(ago) } };
  const service = aService({ state: "down", isForcedDown: true, reported: now - ago });
  const services = [service, aService({ host: "node-b" }), aService({ binary: "nova-scheduler" })];
  const outage = { services, power: undefined, evacuated: [] };
  const seen = aLeaving(aHost({ service, servers: [aServer()] }), { metadata, node: undefined }, outage);
  return evacuateServers.decide({ seen: [seen] }, now, settings)[0];
}

test("a change that a person answers for is old before the next server is evacuated: a report would follow it", () => {
  expect(changed(5_000)).toMatchObject({ do: "write", step: { name: "waiting" } });
  expect(changed(29_000)).toMatchObject({ do: "write", step: { name: "waiting" } });
  expect(changed(31_000)).toMatchObject({ do: "call" });
});

const schedulingLabel = { key: "example.com/compute", value: "yes" };
const node = aNode(undefined);
const silentNode = {
  ...node,
  metadata: { ...node.metadata, labels: { [schedulingLabel.key]: schedulingLabel.value } },
  status: { conditions: [{ type: "Ready", status: "Unknown", lastTransitionTime: at(960_000) }] },
};

test.each([
  ["of Holdfast", {}, "The host is off: Holdfast removes the pods of nova-compute."],
  [
    "of another operator",
    { template: undefined, selector: { matchLabels: { app: "nova-compute" }, schedulingLabel } },
    "The host is off: Holdfast removes the scheduling label of nova-compute.",
  ],
])("with pods %s, the message says what is deleted or removed while the host is off", (_, spec, message) => {
  const down = { since: at(900_000), reported: at(960_000), ready: at(960_000) };
  const metadata = { annotations: aRecord({ down, hard: at(600_000) }) };
  const service = aService({ state: "down", isForcedDown: true, reported: now - 960_000 });
  const services = [service, aService({ host: "node-b" }), aService({ binary: "nova-scheduler" })];
  const outage = { services, power: { state: "power off", isOff: true, target: undefined }, evacuated: [] };
  const host = aHost({ service, servers: [aServer()] });
  const seen = aLeaving(host, { metadata, spec, node: silentNode, pods: [aPod(false)] }, outage);
  expect(evacuateServers.decide({ seen: [seen] }, now, settings)[0]).toMatchObject({ message });
});
