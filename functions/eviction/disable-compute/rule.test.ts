import { expect, test } from "vitest";
import { Contended } from "../../../shared/contended.ts";
import { lateFor } from "../lib/dependent.ts";
import { conditions, recordKey } from "../lib/names.ts";
import { aCompute, aHost, aLeaving, aMove, aNode, aRecord, aService, changesOf, now } from "../lib/testing/seen.ts";
import { disableCompute } from "./rule.ts";

const settings = disableCompute.settings.parse({});
const enabled = aHost({ service: aService({ isEnabled: true, disabledReason: undefined }), migrations: [aMove()] });
const me = { uid: "u1", name: "node-a", group: "", isOut: false, isLeaving: true };
const other = { ...me, uid: "u2", name: "node-b", isLeaving: false };
const decide = (seen: ReturnType<typeof aLeaving>, members = [me, other], more: Partial<typeof settings> = {}) => {
  const asked = "seen" in seen.facts && seen.facts.seen;
  const facts = asked ? { ...seen.facts, seen: { ...asked, settings: { ...settings, ...more } } } : seen.facts;
  const budget = { register: undefined, namespace: "holdfast", members };
  return disableCompute.decide({ seen: [{ ...seen, facts }], budget }, now, settings)[0];
};

test("it waits while another one is out, and names it; a host that is down does not wait", () => {
  const members = [me, { ...other, isOut: true }];
  const decision = decide(aLeaving(enabled), members);
  expect(decision).toMatchObject({ do: "write", message: expect.stringContaining("Out now: node-b.") });
  expect(JSON.stringify(decision)).not.toContain("granted");
  const conditions = [{ type: "Ready", status: "Unknown" }];
  const node = { ...aNode("False"), status: { conditions } };
  expect(decide(aLeaving(enabled, { node }), members)?.do).toBe("call");
});

test("it waits until a maintenance window opens", () => {
  const decision = decide(aLeaving(enabled), undefined, { evictionWindow: "0 22 * * *" });
  const opens = "2026-01-01T22:00:00.000Z";
  expect(decision).toMatchObject({ message: expect.stringContaining(opens), next: Date.parse(opens) });
});

test("what was granted is written before the record, and both before Nova is asked", () => {
  const decision = decide(aLeaving(enabled));
  const writes = JSON.stringify(decision?.do === "call" && decision.writes);
  expect(writes.indexOf("holdfast.dev/granted")).toBeGreaterThan(0);
  expect(writes.indexOf("holdfast.dev/granted")).toBeLessThan(writes.indexOf(recordKey));
});

test("without a person's agreement it only asks, and sets no time to look again", () => {
  const status = { conditions: [{ type: conditions.enabled, status: "True" }] };
  const compute = aCompute({ wanted: "go", isApproved: false, status });
  const decision = decide({ ...compute, facts: { is: "ready", compute } });
  expect(decision).toMatchObject({
    do: "write",
    message: expect.stringContaining("holdfast.dev/approve-eviction=true"),
  });
  expect(decision).not.toHaveProperty("next");
});

test("while a person is asked about one that seems unused, Nova is asked again", () => {
  const compute = aCompute({ wanted: "go", isApproved: false });
  expect(decide({ ...compute, facts: { is: "ready", compute } })).toMatchObject({ next: now + lateFor });
});

test("it disables with a reason of its own, after it has written down where the eviction begins", () => {
  const decision = decide(aLeaving(enabled));
  expect(decision).toMatchObject({
    do: "call",
    command: { input: { service: { id: "c1" }, reason: "Holdfast evicts NovaComputeNode yaook/node-a (u1)" } },
  });
  expect(JSON.stringify(decision)).toContain(String.raw`\"baseline\":11`);
});

test("what a person disables between the look and the call keeps that person's reason", async () => {
  const { service } = enabled;
  expect(await changesOf(decide(aLeaving(enabled)), { ...service, reported: now + 1 })).toHaveLength(1);
  const theirs = { ...service, isEnabled: false, disabledReason: "repair" };
  for (const live of [theirs, { ...service, id: "c2" }, undefined])
    await expect(changesOf(decide(aLeaving(enabled)), live)).rejects.toThrow(Contended);
});

test("what a person has disabled is not disabled again, and the eviction begins all the same", () => {
  const theirs = aHost({ service: aService({ disabledReason: "repair" }) });
  const decision = decide(aLeaving(theirs));
  expect(decision?.do).toBe("write");
  expect(JSON.stringify(decision)).toContain(recordKey);
});

test("a host that was only disabled waits like any other, and its eviction begins after that", () => {
  const only = decide(aLeaving(enabled, { wanted: "disable" }), [me, { ...other, isOut: true }]);
  const noMoves = String.raw`\"baseline\":${Number.MAX_SAFE_INTEGER}`;
  expect(JSON.stringify(only?.do === "call" && only.writes)).toContain(noMoves);
  const annotations = aRecord({ baseline: Number.MAX_SAFE_INTEGER });
  const disabled = aHost({ migrations: [aMove()] });
  expect(decide(aLeaving(disabled, { wanted: "disable", metadata: { annotations } }))?.do).toBe("leave");
  const cleared = aLeaving(disabled, { wanted: "clear", metadata: { annotations } });
  const waits = decide(cleared, [me, { ...other, isOut: true }]);
  expect(waits).toMatchObject({ do: "write", message: expect.stringContaining("Out now: node-b.") });
  const begun = decide(cleared);
  expect(begun?.do).toBe("write");
  expect(JSON.stringify(begun)).toContain(String.raw`\"baseline\":11`);
});

test("a host that is disabled, with a record, is another step's", () =>
  expect(decide(aLeaving(aHost(), { metadata: { annotations: aRecord() } }))?.do).toBe("leave"));

test("a host that was enabled again is to be seen empty again: a server may be on its way to it", () => {
  const annotations = aRecord({ empty: new Date(now - 60_000).toISOString() });
  const decision = decide(aLeaving(enabled, { metadata: { annotations } }));
  const written = JSON.stringify(decision?.do === "call" && decision.writes);
  expect(written).toContain(recordKey);
  expect(written).not.toContain(String.raw`\"empty\"`);
});

test("what stops an eviction is said", () => {
  const compute = aCompute({ wanted: "go" });
  const decision = decide({ ...compute, facts: { is: "halted", message: "Yaook's job runs." } });
  expect(decision).toMatchObject({ do: "write", step: { name: "stuck" }, message: "Yaook's job runs." });
});
