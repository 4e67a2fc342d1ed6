import { expect, test } from "vitest";
import { recordKey, retryKey } from "../lib/names.ts";
import { aHost, aLeaving, aMove, aRecord, aServer, aService, now } from "../lib/testing/seen.ts";
import { moveServers } from "./rule.ts";

const settings = moveServers.settings.parse({});
const begun = (more: object = {}) => ({ metadata: { annotations: aRecord(more) } });
const decide = (seen: ReturnType<typeof aLeaving>) => moveServers.decide({ seen: [seen] }, now, settings)[0];
const recordIn = (decision: ReturnType<typeof decide>) => {
  const writes = decision && "writes" in decision ? (decision.writes ?? []) : [];
  for (const write of writes) {
    const patch =
      "patch" in write ? (write.patch as { metadata: { annotations?: Record<string, string> } }) : undefined;
    const text = patch?.metadata.annotations?.[recordKey];
    if (text) return JSON.parse(text);
  }
  return undefined;
};

test.each([
  ["ACTIVE", [aServer()], [], "move a server while it runs"],
  ["SHUTOFF", [aServer({ status: "SHUTOFF" })], [], "move a server that is off"],
  ["at VERIFY_RESIZE elsewhere", [], [aMove()], "confirm a server's move"],
])("a server that is %s: the call is written down before it goes out", (_, servers, migrations, name) => {
  // A call for a cold move was noted by an earlier release.
  const decision = decide(aLeaving(aHost({ servers, migrations }), begun(migrations.length > 0 ? { called: {} } : {})));
  expect(decision).toMatchObject({ do: "call", command: { name, input: { server: "s1" } } });
  const after = migrations.length > 0 ? 11 : 0;
  expect(recordIn(decision)).toMatchObject({
    baseline: 10,
    called: { s1: { at: new Date(now).toISOString(), after } },
  });
});

test("a cold call is noted, so that its move is confirmed, until Nova refuses it", () => {
  const decision = decide(aLeaving(aHost({ servers: [aServer({ status: "SHUTOFF" })] }), begun()));
  expect(recordIn(decision).cold).toEqual({ s1: 0 });
  const refused = decision?.do === "call" && decision.refused?.verb === "patch" ? decision.refused.patch : {};
  expect(JSON.parse(Object(Object(refused)[2]).value).cold).toEqual({});
  // Before the first call no cold move can be Holdfast's, also if a person has asked to try again.
  const person = aHost({ migrations: [aMove()] });
  expect(decide(aLeaving(person, begun()))?.do).toBe("write");
  const annotations = { ...aRecord(), [retryKey]: "true" };
  expect(recordIn(decide(aLeaving(person, { metadata: { annotations } })))).not.toHaveProperty("called");
});

test("an empty host is looked at twice, 5 s apart, and a server that comes meanwhile begins that again", () => {
  const first = decide(aLeaving(aHost(), begun()));
  expect(recordIn(first).empty).toBe(new Date(now).toISOString());
  expect(first).toMatchObject({ do: "write", next: now + 5000 });
  const since = (ago: number) => begun({ empty: new Date(now - ago).toISOString() });
  expect(decide(aLeaving(aHost(), since(4000)))).toMatchObject({ do: "write", step: { name: "waiting" } });
  expect(decide(aLeaving(aHost(), since(5000)))?.do).toBe("leave");
  expect(recordIn(decide(aLeaving(aHost({ servers: [aServer()] }), since(60_000)))).empty).toBeUndefined();
});

test("a person who asks to try again resets the count, and the annotation goes", () => {
  const failed = [13, 12, 11].map((id) => aMove({ id, status: "error" }));
  const annotations = { ...aRecord(), [retryKey]: "true" };
  const decision = decide(aLeaving(aHost({ servers: [aServer()], migrations: failed }), { metadata: { annotations } }));
  expect(recordIn(decision)).toMatchObject({ retried: 13 });
  expect(JSON.stringify(decision)).toContain(`"${retryKey}":null`);
});

test("a repeated call keeps the time of the first one and the number of refusals, until a person asks again", () => {
  const at = new Date(now - 61_000).toISOString();
  const called = { s1: { at, after: 10, refused: 1 }, gone: { at, after: 10 } };
  const seen = aLeaving(aHost({ servers: [aServer()] }), begun({ called }));
  const decision = decide(seen);
  const again = { at: new Date(now).toISOString(), after: 0, since: at, refused: 1 };
  expect(recordIn(decision).called).toEqual({ s1: again });
  const refused = decision?.do === "call" && decision.refused?.verb === "patch" ? decision.refused.patch : {};
  expect(JSON.parse(Object(Object(refused)[2]).value).called).toEqual({ s1: { ...again, refused: 2, denied: true } });
  const annotations = { ...aRecord({ called }), [retryKey]: "true" };
  const reset = recordIn(decide(aLeaving(aHost({ servers: [aServer()] }), { metadata: { annotations } })));
  expect(reset.called?.s1).toEqual({ at, after: 10 });
});

test("if a person asks again, an evacuation that may still begin is not repeated", () => {
  const at = new Date(now - 300_000).toISOString();
  const annotations = { ...aRecord({ called: { s1: { at, after: 10, refused: 1 } } }), [retryKey]: "true" };
  const decision = decide(aLeaving(aHost({ servers: [aServer()] }), { metadata: { annotations } }));
  expect(recordIn(decision).called).toEqual({ s1: { at, after: 10 } });
});

test("nothing is moved while nova-compute is enabled, or where it is only to be disabled", () => {
  const servers = [aServer()];
  const enabled = aHost({ servers, service: aService({ isEnabled: true }) });
  expect(decide(aLeaving(enabled, begun()))?.do).toBe("leave");
  expect(decide(aLeaving(aHost({ servers }), { ...begun(), wanted: "disable" }))?.do).toBe("leave");
});

test("what a later release has noted of another server's call stays", () => {
  const called = { s2: { at: new Date(now).toISOString(), after: 10, noted: "later" } };
  const decision = decide(aLeaving(aHost({ servers: [aServer(), aServer({ id: "s2" })] }), begun({ called })));
  expect(recordIn(decision).called).toMatchObject({ ...called, s1: { after: 0 } });
});

test("what a server was before an evacuation that failed is forgotten once it is moved from a host that is up", () => {
  const decision = decide(aLeaving(aHost({ servers: [aServer()] }), begun({ was: { s1: "ACTIVE", s2: "SHUTOFF" } })));
  expect(recordIn(decision)).toMatchObject({ called: { s1: { after: 0 } } });
  expect(recordIn(decision).was).toEqual({ s2: "SHUTOFF" });
});
