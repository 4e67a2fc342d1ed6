import fc from "fast-check";
import { expect, test } from "vitest";
import type { EvictionRecord } from "./compute-node.ts";
import { evacuationFor, unrestored, unsettled, withoutRestored } from "./evacuation.ts";
import type { Server } from "./openstack/nova.ts";
import type { OutageFacts } from "./outage.ts";
import { isStuck } from "./plan.ts";
import { aHost, aMove, aServer, aService, now } from "./testing/seen.ts";

const minute = 60_000;
const settings = { evictionMoves: 2, evictionAttempts: 3, evictionSharedStorage: "false" } as const;
const record: EvictionRecord = { v: 1, uid: "u1", begun: "2026-01-01T11:00:00.000Z", baseline: 10 };
const outage: OutageFacts = { services: [], power: undefined, evacuated: [] };
const service = aService({ state: "down", isForcedDown: true });
const plan = (more: Parameters<typeof aHost>[0], noted: Partial<EvictionRecord> = {}, shared = false) =>
  evacuationFor(
    aHost({ service, ...more }),
    outage,
    { ...record, ...noted },
    {
      ...settings,
      evictionSharedStorage: shared ? "true" : "false",
    },
  );
const aCall = (ago: number, evacuation: "asked" | "answered" = "asked", more: object = {}) => ({
  called: { s1: { at: new Date(now - ago).toISOString(), after: 10, evacuation, ...more } },
});
const evacuation = (status: string, more: Parameters<typeof aMove>[0] = {}) =>
  aMove({ type: "evacuation", status, ...more });

test.each(["ACTIVE", "SHUTOFF", "ERROR", "HARD_REBOOT"])("a server that is %s is evacuated", (status) =>
  expect(plan({ servers: [aServer({ status })] }).next).toEqual({ do: "evacuate", server: "s1" }),
);

test.each<[string, Parameters<typeof aHost>[0], Partial<EvictionRecord>]>([
  ["its evacuation is accepted", { migrations: [evacuation("accepted")] }, {}],
  ["its evacuation is done, and Nova lists it here for a moment", { migrations: [evacuation("done")] }, {}],
  ["it was asked for, and may still be carried out", {}, aCall(9 * minute)],
  ["its evacuation has failed just now", { migrations: [evacuation("failed", { updated: now - 1000 })] }, {}],
])("a server is not evacuated while %s, and waits for no person", (_, more, noted) => {
  const { next, stuck } = plan({ servers: [aServer()], ...more }, noted);
  expect([next, stuck]).toEqual([undefined, []]);
});

test("a call that OpenStack has not answered for half a minute is said while it may be carried out", () => {
  const message = (...noted: Parameters<typeof aCall>) => plan({ servers: [aServer()] }, aCall(...noted)).message;
  expect(message(31_000)).toContain("OpenStack has not yet answered the call to evacuate 1 of them.");
  expect(message(29_000)).not.toContain("not answered");
  expect(message(31_000, "answered")).not.toContain("not answered");
  expect(message(11 * minute)).not.toContain("not answered");
});

const late = { id: 12, updated: now - 5 * minute };
test.each<[string, Parameters<typeof aMove>[0]]>([
  ["a person's live move has failed", { type: "live-migration", status: "error", ...late }],
  ["a person's cold move has failed", { type: "migration", status: "error", ...late }],
  ["an evacuation has failed, which may be a person's", { type: "evacuation", status: "error", ...late }],
])("an evacuation whose answer was lost may still come, although %s meanwhile", (_, move) => {
  const more = { servers: [aServer()], migrations: [aMove(move)] };
  expect(plan(more, aCall(9 * minute))).toMatchObject({ next: undefined, counters: { in_progress: 1 } });
  expect(unsettled(aHost({ service, ...more }), { ...record, ...aCall(9 * minute) })).toContain("1 may still begin");
  expect(plan(more, aCall(11 * minute)).next).toBeDefined();
});

test("an evacuation that Nova has answered, or refused, or that has not failed, is not waited for", () => {
  const next = (noted: Partial<EvictionRecord>, move = evacuation("error", late)) =>
    plan({ servers: [aServer()], migrations: [move] }, noted).next;
  expect(next(aCall(6 * minute, "answered"))).toBeDefined();
  expect(next(aCall(6 * minute, "answered"), aMove({ type: "live-migration", status: "error", ...late }))).toBe(
    undefined,
  );
  expect(next(aCall(6 * minute, "asked", { denied: true, refused: 1 }))).toBeDefined();
  const elsewhere = aHost({ service, migrations: [evacuation("done", late)] });
  expect(unsettled(elsewhere, { ...record, ...aCall(6 * minute) })).toBeUndefined();
  const { evacuation: _, ...aLiveMove } = aCall(6 * minute).called.s1;
  const failed = aMove({ type: "live-migration", status: "error", ...late });
  expect(next({ called: { s1: aLiveMove } }, failed)).toBeDefined();
  // An earlier release has noted only what the server was.
  expect(next({ called: { s1: aLiveMove }, was: { s1: "ACTIVE" } }, failed)).toBeUndefined();
});

test("a call of which nothing has come within ten minutes is made again, three times in all", () => {
  expect(plan({ servers: [aServer()] }, aCall(11 * minute)).next).toBeDefined();
  const called = { s1: { ...aCall(11 * minute).called.s1, refused: 3 } };
  expect(plan({ servers: [aServer()] }, { called })).toMatchObject({ next: undefined, stuck: [{ server: "s1" }] });
});

const isLeft = (server: Parameters<typeof aServer>[0], more: Parameters<typeof aHost>[0], says: RegExp) => {
  const { next, stuck, message } = plan({ servers: [aServer(server)], ...more });
  expect(next).toBeUndefined();
  expect(stuck).toMatchObject([{ server: "s1", message: expect.stringMatching(says) }]);
  expect(message).toMatch(says);
};
test("a server that has a disk on the dead host is left to a person", () =>
  isLeft({ hasLocalDisk: true }, {}, /create it again from its image/));
test("a server that is PAUSED is left to a person", () =>
  isLeft({ status: "PAUSED" }, {}, /Nova does not evacuate.*server set --state error s1/));
test("a server that was being moved live is left to a person", () =>
  isLeft({ status: "MIGRATING" }, { migrations: [aMove({ status: "running" })] }, /may run there/));
test("a server that was moved, as Nova says, and is MIGRATING is left to a person", () =>
  isLeft({ status: "MIGRATING" }, { migrations: [aMove({ status: "completed" })] }, /may run there/));
test("a server that hangs in its evacuation is left to a person", () =>
  isLeft({}, { migrations: [evacuation("accepted", { updated: now - 31 * minute })] }, /second evacuation damages it/));
test("a server that is here long after its evacuation was done is left to a person", () =>
  isLeft({}, { migrations: [evacuation("done", { updated: now - 2 * minute })] }, /second evacuation damages it/));

test.each(["deleting", "soft-deleting"])(
  "a server that is %s for half an hour is named, and hides no other",
  (task) => {
    const other = aServer({ id: "s2", status: "PAUSED" });
    const found = (ago: number) => plan({ servers: [aServer({ task, updated: now - ago }), other] });
    expect(found(29 * minute)).toMatchObject({ next: undefined, stuck: [{ server: "s2" }], counters: { pending: 1 } });
    expect(isStuck(found(29 * minute))).toBe(false);
    const late = found(31 * minute);
    expect(late).toMatchObject({
      next: undefined,
      stuck: [{ server: "s1" }, { server: "s2" }],
      counters: { pending: 0 },
    });
    expect(late.message).toContain("Run `openstack server delete s1` again: Nova then deletes it at once.");
    expect(late.message).toContain("Server s2: It is PAUSED");
    expect(isStuck(late)).toBe(true);
  },
);

test("a server that is elsewhere, and whose move from the dead host is not over, is left to a person", () => {
  const { stuck, message, counters } = plan({ migrations: [aMove({ type: "resize" })] });
  expect(stuck).toMatchObject([
    { server: "s1", message: expect.stringContaining("The server's resize to node-b is not over") },
  ]);
  expect(message).toContain("Start nova-compute of node-a again, or delete the server.");
  expect(counters).toMatchObject({ unhandleable: 1, pending: 0 });
  expect(plan({ migrations: [aMove(), evacuation("done", { id: 12 })] }).stuck).toEqual([]);
});

test("where hosts share their disks Nova is asked to check, and evacuates what has one there", () =>
  expect(plan({ servers: [aServer({ hasLocalDisk: true })] }, {}, true).next).toBeDefined());

test("what was ERROR or SHUTOFF and came back ACTIVE is restored, once it is settled; nothing else is", () => {
  const was = { s1: "ERROR", s2: "SHUTOFF", s3: "ACTIVE" };
  const evacuated = ["s1", "s2", "s3"].map((id) => aServer({ id, host: "node-b" }));
  const host = aHost({ service, migrations: [evacuation("done"), evacuation("done", { id: 12, server: "s2" })] });
  const next = (servers: typeof evacuated, more: object = {}) =>
    evacuationFor(host, { ...outage, evacuated: servers }, { ...record, was, ...more }, settings).next;
  expect(next(evacuated)).toEqual({ do: "set-error", server: "s1" });
  expect(next(evacuated.slice(1))).toEqual({ do: "stop", server: "s2" });
  expect(next(evacuated, { called: { s1: { at: new Date(now - 1000).toISOString(), after: 12 } } })).toEqual({
    do: "stop",
    server: "s2",
  });
  expect(next(evacuated.slice(2))).toBeUndefined();
  expect(unrestored({ ...outage, evacuated }, host, { ...record, was })).toHaveLength(2);
  expect(unrestored({ ...outage, evacuated: evacuated.slice(2) }, host, { ...record, was })).toEqual([]);
});

test("what Nova refuses to put back is asked for with growing pauses, three times, and then left to a person", () => {
  const was = { s1: "ERROR", s2: "SHUTOFF" };
  const evacuated = ["s1", "s2"].map((id) => aServer({ id, host: "node-b" }));
  const found = (refused: number, ago: number, since = ago) => {
    const at = (before: number) => new Date(now - before).toISOString();
    const call = { at: at(ago), after: 12, since: at(since), refused, denied: true as const };
    return evacuationFor(
      aHost({ service, migrations: [evacuation("done"), evacuation("done", { id: 12, server: "s2" })] }),
      { ...outage, evacuated },
      { ...record, was, called: { s1: call, s2: call } },
      settings,
    );
  };
  expect(found(1, minute / 2)).toMatchObject({ next: undefined, stuck: [], counters: { pending: 2 } });
  expect(found(1, 2 * minute).next).toEqual({ do: "set-error", server: "s1" });
  expect(found(2, 2 * minute, 5 * minute)).toMatchObject({ next: undefined, stuck: [] });
  expect(found(2, 4 * minute, 5 * minute).next).toEqual({ do: "set-error", server: "s1" });
  const late = found(3, 10 * minute);
  expect(late).toMatchObject({ next: undefined, counters: { pending: 0, unhandleable: 2 } });
  expect(late.message).toContain("Nova has refused to set it back to ERROR 3 times");
  expect(late.message).toContain("openstack server set --state error s1");
  expect(late.message).toContain("openstack server stop s2");
  expect(isStuck(late)).toBe(true);
});

/** What was ERROR or SHUTOFF before its evacuation, as it is now: what is planned, and what the record keeps of it. */
function after(before: string, more: Partial<Server>, migrations = [evacuation("done")]) {
  const seen = { ...outage, evacuated: [aServer({ host: "node-b", ...more })] };
  const [host, noted] = [aHost({ service, migrations }), { ...record, was: { s1: before } }];
  return { plan: evacuationFor(host, seen, noted, settings), left: withoutRestored(seen, host, noted) };
}

test.each([
  ["ERROR", "SHUTOFF"],
  ["ERROR", "SUSPENDED"],
  ["ERROR", "SHELVED_OFFLOADED"],
  ["ERROR", "VERIFY_RESIZE"],
  ["SHUTOFF", "PAUSED"],
  ["SHUTOFF", "ERROR"],
])("a server that was %s and is %s on another host is left so, and holds no eviction", (before, status) => {
  const { plan: found, left } = after(before, { status });
  expect(found).toMatchObject({ next: undefined, stuck: [], counters: { pending: 0 } });
  expect(left?.record.was).toEqual({});
  expect(left?.message).toContain(`Server s1 was ${before} before its evacuation, and is ${status} now.`);
});

test("a server that is what it was, is ACTIVE, or has a task or an open evacuation, is not its owner's yet", () => {
  expect(after("ERROR", { status: "ERROR" }).left?.message).toBe(
    "Server s1 is ERROR, as it was before its evacuation.",
  );
  expect(after("ERROR", {}).left).toBeUndefined();
  expect(after("ERROR", { status: "SHUTOFF", task: "powering-on" }).left).toBeUndefined();
  const open = [evacuation("pre-migrating")];
  expect(after("ERROR", { status: "SHUTOFF" }, open)).toMatchObject({ left: undefined, plan: { stuck: [] } });
});

test("a server that was SHUTOFF, and that its owner has started since its evacuation, runs on", () => {
  const moved = [evacuation("done", { updated: now - 10 * minute })];
  const since = (ago: number) => after("SHUTOFF", { updated: now - ago }, moved);
  expect(since(10 * minute).plan.next).toEqual({ do: "stop", server: "s1" });
  expect(since(8 * minute)).toMatchObject({ plan: { next: undefined }, left: { record: { was: {} } } });
  // nova-compute of its former host has started since, which Nova notes as a change of the evacuation.
  const later = after("SHUTOFF", { updated: now - 8 * minute }, [evacuation("completed", { updated: now })]);
  expect(later.plan.next).toBeUndefined();
});

test("a server that cannot be put back to what it was, because a task hangs on its new host, is named", () => {
  const found = (ago: number) => after("SHUTOFF", { task: "powering-off", updated: now - ago }).plan;
  expect(found(29 * minute)).toMatchObject({ stuck: [], counters: { pending: 1 } });
  const late = found(31 * minute);
  expect(late).toMatchObject({ stuck: [{ server: "s1" }], counters: { pending: 0, unhandleable: 1 } });
  expect(late.message).toContain("It was SHUTOFF before its evacuation, and has been ACTIVE (powering-off) on node-b");
  expect(isStuck(late)).toBe(true);
});

test("nova-compute is held down while an evacuation is open or may begin, or its host may yet be turned off", () => {
  const host = aHost({ service });
  const held = (noted: Partial<EvictionRecord>, more = host) => unsettled(more, { ...record, ...noted });
  expect(held(aCall(9 * minute))).toContain("1 may still begin");
  expect(held({}, aHost({ migrations: [evacuation("pre-migrating")] }))).toContain("1 open");
  expect(held({ shutdown: new Date(now - minute).toISOString() })).toContain("ten minutes");
  expect(held({ ...aCall(11 * minute), shutdown: new Date(now - 11 * minute).toISOString() })).toBeUndefined();
});

const ids = ["s1", "s2", "s3", "s4"];
const anyHost = fc.record({
  servers: fc.uniqueArray(
    fc.record({
      id: fc.constantFrom(...ids),
      status: fc.constantFrom("ACTIVE", "SHUTOFF", "ERROR", "PAUSED", "MIGRATING", "REBUILD", "VERIFY_RESIZE"),
      hasLocalDisk: fc.boolean(),
    }),
    { selector: ({ id }) => id },
  ),
  migrations: fc.uniqueArray(
    fc.record({
      id: fc.integer({ min: 1, max: 30 }),
      server: fc.constantFrom(...ids),
      type: fc.constantFrom("live-migration", "migration", "evacuation"),
      status: fc.constantFrom("accepted", "pre-migrating", "running", "done", "completed", "failed", "error"),
      updated: fc.integer({ min: 0, max: 60 }).map((ago) => now - ago * minute),
    }),
    { selector: ({ id }) => id },
  ),
  ago: fc.integer({ min: 0, max: 20 }),
  call: fc.constantFrom("asked" as const, "answered" as const),
});

test("no server is evacuated twice, made of its image again, or started where it may run elsewhere", () => {
  fc.assert(
    fc.property(anyHost, ({ servers, migrations, ago, call }) => {
      const host = { servers: servers.map(aServer), migrations: migrations.map(aMove) };
      const { next, counters, stuck } = plan(host, aCall(ago * minute, call));
      const { in_progress: moving, migratable, pending } = counters;
      const stay = stuck.filter(({ server }) => servers.some(({ id }) => id === server)).length;
      expect(moving + migratable + pending + stay).toBe(servers.length);
      if (!next) return;
      expect(next.do).toBe("evacuate");
      expect(moving).toBeLessThan(settings.evictionMoves);
      expect(servers.find(({ id }) => id === next.server)?.hasLocalDisk).toBe(false);
      const its = migrations.filter(({ server }) => server === next.server);
      expect(
        its.filter(({ type, status }) => type === "evacuation" && /accepted|pre-migrating|done/.test(status)),
      ).toEqual([]);
      const isOver = call === "answered" && its.some(({ id, type }) => id > 10 && type === "evacuation");
      if (next.server === "s1" && !isOver) expect(ago).toBeGreaterThanOrEqual(10);
    }),
    { numRuns: 500 },
  );
});
