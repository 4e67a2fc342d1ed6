import { expect, test } from "vitest";
import { Contended } from "../../../shared/contended.ts";
import type { Decision } from "../../../shared/decision.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { progressKey } from "../../../shared/progress.ts";
import { SystemError } from "../../../shared/system/system-error.ts";
import { fencedKey, recordKey, retryKey } from "../lib/names.ts";
import type { Migration, Server } from "../lib/openstack/nova.ts";
import type { HostFacts } from "../lib/plan.ts";
import {
  aHost,
  aLeaving,
  aMove,
  aNode,
  aPod,
  aRecord,
  aServer,
  aService,
  changesOf,
  now,
  takesBack,
} from "../lib/testing/seen.ts";
import { evacuateServers } from "./rule.ts";

const settings = evacuateServers.settings.parse({});
const at = (ago: number) => new Date(now - ago).toISOString();

/** What is decided of a host that is forced down, and whose service a person has answered for, changed so long ago. */
const changed = (ago: number) => forcedDown(ago, {}, { servers: [aServer()] });

/** What is decided of such a host, some minutes later, when its server is on another host and ACTIVE. */
const restored = (before: string) =>
  forcedDown(60_000, { was: { s1: before } }, { migrations: [aMove({ type: "evacuation", status: "done" })] }, [
    aServer({ host: "node-b" }),
  ]);

function forcedDown(
  ago: number,
  noted: object,
  more: Partial<HostFacts>,
  evacuated: readonly Server[] = [],
  annotations: Record<string, string> = {},
) {
  const down = { since: at(900_000), reported: at(960_000), ready: at(960_000) };
  const record = { down, hard: at(600_000), forced: { at: at(590_000), reported: at(600_000) }, ...noted };
  const metadata = { annotations: { ...aRecord(record), [fencedKey]: at(ago), ...annotations } };
  const service = aService({ state: "down", isForcedDown: true, reported: now - ago });
  const services = [service, aService({ host: "node-b" }), aService({ binary: "nova-scheduler" })];
  const outage = { services, power: undefined, evacuated };
  const host = aHost({ service, ...more });
  const seen = aLeaving(host, { metadata, node: undefined }, outage);
  return evacuateServers.decide({ seen: [seen] }, now, settings)[0];
}

test("a change that a person answers for is old before the next server is evacuated: a report would follow it", () => {
  expect(changed(5_000)).toMatchObject({ do: "write", step: { name: "waiting" } });
  expect(changed(29_000)).toMatchObject({ do: "write", step: { name: "waiting" } });
  expect(changed(31_000)).toMatchObject({ do: "call" });
});

/** The text of the record that the decision's call notes before it. */
function noteOf(decision: Decision | undefined): string | undefined {
  const [write] = decision?.do === "call" ? (decision.writes ?? []) : [];
  const patch = write?.verb === "patch" ? (write.patch as Partial<KubernetesObject>) : {};
  return patch.metadata?.annotations?.[recordKey];
}

/** From which text to which the record changes when the call is not sent. */
function takenBack(decision: Decision | undefined) {
  const [unsent] = decision?.do === "call" ? [decision.unsent ?? []].flat() : [];
  const [, before, after] = unsent?.verb === "patch" ? (unsent.patch as readonly { value: string }[]) : [];
  return [before?.value, after?.value];
}

/** What Nova is asked to do with a server, where it has it so just before the call. */
async function askedFor(decision: Decision | undefined, server: Server | undefined, migrations: readonly Migration[]) {
  const asked: string[] = [];
  const ask = (what: string) => async (id: string) => void asked.push(`${what} ${id}`);
  const asks = ["evacuate", "setError", "stop"].map((what) => [what, ask(what)] as const);
  const nova = { server: async () => server, migrations: async () => migrations, ...Object.fromEntries(asks) };
  if (decision?.do === "call") await decision.command.send({ nova }, decision.command.input);
  return asked;
}

test("a server that has come to the dead host by the newest migration is evacuated all the same", async () => {
  const arrival = aMove({ id: 12, status: "completed", source: "node-b", target: "node-a" });
  expect(await askedFor(changed(31_000), aServer(), [arrival])).toEqual(["evacuate s1"]);
});

test.each<[string, Server | undefined, readonly Migration[]]>([
  ["has left the dead host", aServer({ host: "node-b" }), []],
  ["is gone", undefined, []],
  ["is being evacuated already", aServer(), [aMove({ id: 12, type: "evacuation", status: "accepted" })]],
])("if a server %s since the look, it is not evacuated, and Holdfast looks again", async (_, live, migrations) => {
  const decision = changed(31_000);
  await expect(askedFor(decision, live, migrations)).rejects.toThrow(/^Server s1 has just changed in Nova/);
  await expect(askedFor(decision, live, migrations)).rejects.toThrow(Contended);
  expect(noteOf(decision)).toContain('"called":{"s1":');
  expect(takenBack(decision)).toEqual([noteOf(decision), decision?.about.metadata.annotations?.[recordKey]]);
});

/** What each of these texts of a record says of the call for server s1. */
const notesIn = (...texts: readonly (string | undefined)[]) => texts.map((text) => JSON.parse(text ?? "{}").called?.s1);

test("that Nova has answered an evacuation is noted over the note of the call, and of no other call", () => {
  const decision = changed(31_000);
  const answered = decision?.do === "call" ? decision.answered : undefined;
  const [, before, after] = answered?.verb === "patch" ? (answered.patch as readonly { value: string }[]) : [];
  expect(before?.value).toBe(noteOf(decision));
  const call = { at: at(0), after: 0 };
  expect(notesIn(before?.value, after?.value)).toEqual([
    { ...call, evacuation: "asked" },
    { ...call, evacuation: "answered" },
  ]);
  expect(restored("ERROR")).not.toHaveProperty("answered");
});

test.each(["asked", "answered"])("an evacuation that was %s stays so when a person asks to try again", (evacuation) => {
  const call = { at: at(120_000), after: 10, evacuation };
  const decision = forcedDown(60_000, { called: { s1: call } }, { servers: [aServer()] }, [], { [retryKey]: "true" });
  const [write] = decision?.do === "write" ? decision.writes.slice(-1) : [];
  const patch = write?.verb === "patch" ? (write.patch as Partial<KubernetesObject>) : {};
  expect(notesIn(patch.metadata?.annotations?.[recordKey])).toEqual([call]);
});

test("the call for one server leaves the note of an evacuation that may still come, also after another move", () => {
  const call = { at: at(120_000), after: 10, evacuation: "asked" };
  const tried = aMove({ id: 12, type: "live-migration", status: "error", updated: now - 60_000 });
  const servers = [aServer(), aServer({ id: "s2" })];
  const decision = forcedDown(60_000, { called: { s1: call } }, { servers, migrations: [tried] });
  expect(decision).toMatchObject({ do: "call", command: { input: { server: "s2" } } });
  expect(notesIn(noteOf(decision))).toEqual([call]);
});

test("the call that puts one server back leaves the note of how often Nova has refused to put back another", () => {
  const call = { at: at(120_000), after: 10, since: at(300_000), refused: 2, denied: true };
  const evacuated = ["s1", "s2"].map((id) => aServer({ id, host: "node-b" }));
  const was = { s1: "ERROR", s2: "SHUTOFF" };
  const migrations = ["s1", "s2"].map((server) => aMove({ id: 10, server, type: "evacuation", status: "done" }));
  const decision = forcedDown(60_000, { was, called: { s1: call } }, { migrations }, evacuated);
  expect(decision).toMatchObject({ do: "call", command: { input: { server: "s2" } } });
  expect(notesIn(noteOf(decision))).toEqual([call]);
});

test("while Nova does not say how a server is, it is surely not evacuated", async () => {
  const away = new SystemError("OpenStack", "unreachable", "Nova does not answer.");
  const nova = { server: () => Promise.reject(away) };
  const decision = changed(31_000);
  const sent = decision?.do === "call" && decision.command.send({ nova }, decision.command.input);
  await expect(sent).rejects.toMatchObject({ name: "NotSent", cause: away });
});

test.each([
  ["SHUTOFF", "stop"],
  ["ERROR", "setError"],
])("a server that was %s and changes since the look is left alone, and Holdfast looks again", async (before, asks) => {
  const decision = restored(before);
  const live = aServer({ host: "node-b" });
  expect(await askedFor(decision, live, [])).toEqual([`${asks} s1`]);
  for (const one of [undefined, { ...live, status: "SHUTOFF" }, { ...live, task: "rebooting" }]) {
    await expect(askedFor(decision, one, [])).rejects.toThrow(/^Server s1 has just changed in Nova/);
    await expect(askedFor(decision, one, [])).rejects.toThrow(Contended);
  }
  expect(noteOf(decision)).toContain('"called":{"s1":');
  expect(takenBack(decision)).toEqual([noteOf(decision), decision?.about.metadata.annotations?.[recordKey]]);
});

test.each([
  ["SHUTOFF", "ERROR", { type: "Warning", reason: "ServerLeftInError" }],
  ["SHUTOFF", "SHUTOFF", undefined],
  ["ERROR", "ERROR", undefined],
  ["ERROR", "SUSPENDED", undefined],
])("of a server that was %s and is %s on its new host the record keeps nothing; the Event is %j", (was, is, event) => {
  const decision = forcedDown(60_000, { was: { s1: was } }, {}, [aServer({ host: "node-b", status: is })]);
  const [write] = decision?.do === "write" ? decision.writes.slice(-1) : [];
  const patch = write?.verb === "patch" ? (write.patch as Partial<KubernetesObject>) : {};
  expect(JSON.parse(patch.metadata?.annotations?.[recordKey] ?? "{}")).toMatchObject({ was: {} });
  expect(decision?.do === "write" ? decision.event : "none").toEqual(event);
  expect(decision?.message).toContain("Server s1 ");
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

/** What is decided of a host that is off, which Nova has refused to force down: the next try is noted for `next`. */
function refused(next: number) {
  return off(next, { hard: at(600_000), refused: at(600_000) });
}

function off(next: number, more: object) {
  const progress = { v: 1, uid: "u1", step: "called", since: at(60_000), next: at(-next), because: "" };
  const down = { since: at(900_000), reported: at(960_000), ready: at(960_000) };
  const record = aRecord({ down, accepted: at(700_000), ...more });
  const metadata = {
    annotations: { ...record, [progressKey("eviction/evacuate-servers")]: JSON.stringify(progress) },
  };
  const service = aService({ state: "down", reported: now - 960_000 });
  const services = [service, aService({ host: "node-b" }), aService({ binary: "nova-scheduler" })];
  const outage = { services, power: { state: "power off", isOff: true, target: undefined }, evacuated: [] };
  const spec = { eviction: { ironicNodeShutdown: { node: "machine" } } };
  const seen = aLeaving(aHost({ service, servers: [aServer()] }), { metadata, spec, node: silentNode }, outage);
  return evacuateServers.decide({ seen: [seen] }, now, settings)[0];
}

test("after a refusal the noted time of the next try counts, except where a clock that is ahead has noted it", () => {
  expect(refused(15_000)).toMatchObject({ do: "write", next: now + 15_000 });
  expect(refused(3_600_000)).toMatchObject({ do: "write", next: now + 20_000 });
  expect(refused(-1_000)).toMatchObject({ do: "call", command: { input: { service: { id: "c1" } } } });
});

test("when Nova takes a try after a refusal, the record says so, and that triggers the next step", () => {
  const decision = refused(-1_000);
  const answered = decision?.do === "call" ? decision.answered : undefined;
  const [, before, after] = answered?.verb === "patch" ? (answered.patch as readonly { value: string }[]) : [];
  // As it is on the object: read and written again, its fields have another order.
  expect(before?.value).toBe(decision?.about.metadata.annotations?.[recordKey]);
  expect(JSON.parse(after?.value ?? "{}")).toMatchObject({ hard: at(0) });
  expect(after?.value).not.toContain("refused");
});

test("what was noted of a call that is not sent is taken back, also over an earlier note", () => {
  for (const decision of [off(0, {}), off(0, { hard: at(900_000) }), changed(31_000)]) {
    expect(decision).toMatchObject({ do: "call", preconditions: [{ name: "node-a" }] });
    expect(decision).toHaveProperty("unsent", takesBack(decision));
  }
  // Nothing is noted of it.
  expect(refused(-1_000)).not.toHaveProperty("unsent");
});

test("a host whose nova-compute a person has disabled for another reason meanwhile is not forced down", async () => {
  const seen = aService({ state: "down", reported: now - 960_000 });
  const reason = `${seen.disabledReason}, and has forced it down`;
  expect(await changesOf(refused(-1_000), seen)).toEqual([`forceDown c1 ${reason}`]);
  // Nova has answered nothing then, so that nothing is written down as answered.
  await expect(changesOf(refused(-1_000), { ...seen, disabledReason: "repair" })).rejects.toThrow(Contended);
});
