import { expect, test } from "vitest";
import { aHost, aLeaving, aNode, aRecord, aServer, aService, now } from "../lib/testing/seen.ts";
import { confirmOutage } from "./rule.ts";

const settings = confirmOutage.settings.parse({});
const at = (ago: number) => new Date(now - ago).toISOString();

/** What is noted of a host that is down again, after an outage of which this was noted. */
function notedAfter(former: object): unknown {
  const service = aService({ state: "down", reported: now - 60_000 });
  const condition = { type: "Ready", status: "Unknown", lastTransitionTime: at(60_000) };
  const node = { ...aNode(undefined), status: { conditions: [condition] } };
  const down = { since: at(7_200_000), reported: at(7_260_000), ready: at(7_260_000) };
  const metadata = { annotations: aRecord({ down, ...former }) };
  const outage = { services: [service], power: undefined, evacuated: [] };
  const seen = aLeaving(aHost({ service, servers: [aServer()] }), { metadata, node }, outage);
  // The clock of the function's machine is an hour ahead of OpenStack's.
  const decision = confirmOutage.decide({ seen: [seen] }, now + 3_600_000, settings)[0];
  const writes = (decision?.do === "write" && decision.writes) || [];
  const notes = writes.flatMap((write) => (write.verb === "patch" && JSON.stringify(write.patch)) || []);
  const note = notes.find((text) => text.includes("baseline")) ?? "{}";
  return JSON.parse(Object.values(JSON.parse(note).metadata.annotations as Record<string, string>)[0] ?? "{}");
}

test("a refusal to force it down is of the outage before; the last try may have been a moment ago", () => {
  const noted = notedAfter({ hard: at(7_000_000), refused: at(7_000_000) });
  expect(noted).toMatchObject({ down: { since: at(0), reported: at(60_000) }, hard: at(0) });
  expect(noted).not.toHaveProperty("refused");
  expect(notedAfter({ hard: at(7_000_000) })).toMatchObject({ down: { since: at(0) }, hard: at(7_000_000) });
});
