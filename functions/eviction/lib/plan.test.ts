import fc from "fast-check";
import { expect, test } from "vitest";
import type { EvictionRecord } from "./compute-node.ts";
import type { ComputeService, Migration, Server } from "./openstack/nova.ts";
import { coldIn, type HostFacts, isEmpty, isStuck, planFor } from "./plan.ts";
import { aCompute } from "./testing/seen.ts";

const now = Date.parse("2026-01-01T12:00:00Z");
const minute = 60_000;
const settings = { evictionMoves: 2, evictionAttempts: 3 };
const record: EvictionRecord = { v: 1, uid: "u1", begun: "2026-01-01T11:00:00.000Z", baseline: 10 };

const aServer = (status: string, more: Partial<Server> = {}): Server => ({
  ...{ id: "s1", name: "", status, task: undefined, host: "node-a", fault: undefined, updated: now - minute },
  hasLocalDisk: false,
  ...more,
});
const aMove = (status: string, more: Partial<Migration> = {}): Migration => ({
  ...{
    id: 11,
    server: "s1",
    type: "live-migration",
    status,
    source: "node-a",
    target: "node-b",
    updated: now - 10 * minute,
  },
  ...more,
});
const service: ComputeService = {
  ...{ id: "c1", host: "node-a", isEnabled: false, disabledReason: "", state: "up", reported: now - 5000 },
  ...{ binary: "nova-compute", isForcedDown: false },
};
const aHost = (servers: readonly Server[], migrations: readonly Migration[] = [], more: Partial<HostFacts> = {}) => ({
  ...{ object: aCompute().object, service, servers, migrations, arrivals: [], silent: [], failures: {}, at: now },
  ...more,
});
const plan = (host: HostFacts, noted: EvictionRecord = record) => planFor(host, noted, settings);

test.each<[string, Server, "live" | "cold"]>([
  ["ACTIVE is moved while it runs", aServer("ACTIVE"), "live"],
  ["PAUSED is moved while it runs", aServer("PAUSED"), "live"],
  ["SHUTOFF is moved while it is off", aServer("SHUTOFF"), "cold"],
])("a server that is %s", (_, server, move) => {
  expect(plan(aHost([server]))).toMatchObject({ next: { do: move, server: "s1" }, counters: { migratable: 1 } });
});

test.each<[string, Server, readonly Migration[]]>([
  ["is being deleted", aServer("ACTIVE", { task: "deleting" }), []],
  ["is being built", aServer("BUILD", { task: "spawning" }), []],
  ["is being rebooted", aServer("REBOOT"), []],
  ["has just failed to move", aServer("ACTIVE"), [aMove("error", { updated: now - 10_000 })]],
  [
    "has failed twice, less than a minute ago",
    aServer("ACTIVE"),
    [aMove("error", { id: 12, updated: now - 50_000 }), aMove("error")],
  ],
])("a server that %s waits", (_, server, migrations) => {
  expect(plan(aHost([server], migrations))).toMatchObject({
    next: undefined,
    counters: { pending: 1, unhandleable: 0 },
  });
});

test.each<[string, Server, RegExp]>([
  ["in ERROR", aServer("ERROR"), /Repair it/],
  ["SUSPENDED", aServer("SUSPENDED"), /`openstack server resume s1` or `openstack server shelve s1`/],
  ["in RESCUE", aServer("RESCUE"), /unrescue/],
  ["resized to this host", aServer("VERIFY_RESIZE"), /resize confirm s1`, or `openstack server resize revert s1`/],
  ["in a state that is not known", aServer("SOMETHING"), /cannot move a server that is SOMETHING/],
  ["being built for an hour", aServer("BUILD", { updated: now - 60 * minute }), /more than half an hour/],
])("a server that is %s is shown, and never moved", (_, server, message) => {
  const found = plan(aHost([server]));
  expect(found).toMatchObject({ next: undefined, counters: { unhandleable: 1 } });
  expect(found.message).toMatch(message);
  expect(isStuck(found)).toBe(true);
});

test.each(["up", "down"] as const)(
  "a deletion that hangs is shown while nova-compute is %s, and hides no other",
  (state) => {
    const deleted = (ago: number) => aServer("ACTIVE", { task: "deleting", updated: now - ago });
    const found = (ago: number) =>
      plan(aHost([deleted(ago), aServer("ERROR", { id: "s2" })], [], { service: { ...service, state } }));
    expect([isStuck(found(29 * minute)), isStuck(found(31 * minute))]).toEqual([false, true]);
    const late = found(31 * minute);
    expect(late).toMatchObject({ next: undefined, stuck: [{ server: "s1" }, { server: "s2" }] });
    expect(late.message).toContain("Start nova-compute of node-a again: when it starts, it completes deletions.");
  },
);

test("a move that Nova calls completed while the server is MIGRATING is shown, with the host to start", () => {
  const found = plan(aHost([aServer("MIGRATING", { task: "migrating" })], [aMove("completed")]));
  expect(found.counters).toMatchObject({ unhandleable: 1, migrated: 0 });
  expect(found.message).toContain("nova-compute of node-b has stopped in the middle");
});

test("failed moves are counted since the eviction began, and again since a person asked", () => {
  const failures = [14, 13, 12].map((id) => aMove("error", { id }));
  const given = plan(aHost([aServer("ACTIVE")], failures, { failures: { s1: "No valid host was found." } }));
  expect(given).toMatchObject({ next: undefined, counters: { unhandleable: 1 } });
  expect(given.message).toContain(
    "Nova has failed to move it 3 times (the last reason was: No valid host was found.).",
  );
  expect(plan(aHost([aServer("ACTIVE")], failures), { ...record, retried: 14 }).next).toMatchObject({ do: "live" });
  expect(plan(aHost([aServer("ACTIVE")], failures), { ...record, baseline: 14 }).next).toMatchObject({ do: "live" });
});

test("our finished cold move is confirmed while the host is up, before anything else; another's is its owner's", () => {
  const finished = aMove("finished", { id: 12, server: "s2", type: "migration" });
  const servers = [aServer("ACTIVE")];
  // An earlier release wrote down its calls, and not which were for cold moves.
  const earlier = { ...record, called: {} };
  expect(plan(aHost(servers, [finished]), earlier).next).toEqual({ do: "confirm", server: "s2" });
  const down = { service: { ...service, state: "down" as const } };
  expect(plan(aHost([], [finished], down), earlier).next).toBeUndefined();
  const unsafe = plan(aHost(servers, [finished], { silent: ["node-b"] }), earlier);
  expect(unsafe).toMatchObject({ next: { do: "live", server: "s1" }, counters: { in_progress: 0, unhandleable: 1 } });
  const tried = aMove("error", { server: "s2", type: "migration" });
  const ours = plan(aHost(servers, [finished, tried]), { ...record, cold: { s2: 11 } });
  expect(ours.next).toEqual({ do: "confirm", server: "s2" });
  for (const [other, cold] of [
    [{ ...finished, id: 9 }, undefined],
    [{ ...finished, type: "resize" }, { s2: 10 }],
    // A person has asked for it in the middle of the eviction; and after Holdfast's own move has failed.
    [finished, {}],
    [finished, { s2: 10 }],
  ] as const) {
    const found = plan(aHost([], [other, tried]), { ...record, ...(cold ? { cold } : {}) });
    expect(found).toMatchObject({ next: undefined, counters: { unhandleable: 1, in_progress: 0 } });
    expect(found.message).toContain(`openstack server resize revert ${other.server}\`.`);
  }
});

test("the call for a cold move is noted until that move is over, also where a live one is", () => {
  const live = aMove("error", { server: "s2" });
  const left = (status: string) => {
    const cold = aMove(status, { id: 12, server: "s2", type: "migration" });
    return coldIn(aHost([], [cold, live]), { ...record, cold: { s2: 10, s3: 10 } });
  };
  expect(left("finished")).toHaveLength(2);
  expect(left("confirmed")).toEqual([["s3", 10]]);
});

test("a host to which a server is on its way is not empty, and says so; a server that is arriving waits", () => {
  const arriving = aMove("running", { source: "node-b", target: "node-a" });
  const found = plan(aHost([], [], { arrivals: [arriving] }));
  expect(isEmpty(aHost([], [], { arrivals: [arriving] }))).toBe(false);
  expect(found).toMatchObject({ next: undefined, counters: { pending: 1 } });
  expect(found.message).toContain("Servers that are still being moved to node-a: s1.");
  expect(plan(aHost([aServer("ACTIVE")], [], { arrivals: [arriving] })).next).toBeUndefined();
});

test.each<[string, Partial<Migration>, string]>([
  ["live move", {}, "look there first. Only if it does not run there, and node-b is off for good, run `openstack"],
  ["evacuation", { type: "evacuation" }, "A second evacuation damages the server: do not ask for one."],
])("a %s to the host that Nova has not changed for half an hour is shown with its cure, and stays", (_, more, cure) => {
  const old = { source: "node-b", target: "node-a", updated: now - 31 * minute, ...more };
  const arrivals = [aMove("running", old)];
  const found = plan(aHost([], [], { arrivals }));
  expect(found).toMatchObject({ next: undefined, counters: { pending: 0, unhandleable: 1 } });
  expect(found.message).toContain(cure);
  expect([isStuck(found), isEmpty(aHost([], [], { arrivals }))]).toEqual([true, false]);
  const queued = plan(aHost([], [], { arrivals: [aMove("queued", old)] }));
  expect([isStuck(queued), queued.counters.pending]).toEqual([false, 1]);
  const forgotten = aMove("queued", { ...old, updated: now - 121 * minute });
  expect(isStuck(plan(aHost([], [], { arrivals: [forgotten] })))).toBe(true);
});

test("nothing is moved away from a host that does not report, and nothing cold from one that did long ago", () => {
  const down = { service: { ...service, state: "down" as const } };
  const found = plan(aHost([aServer("ACTIVE")], [], down));
  expect(found).toMatchObject({ next: undefined, counters: { pending: 1, unhandleable_agent: true } });
  expect(found.message).toContain("nova-compute of node-a is down");
  const stale = { service: { ...service, reported: now - 40_000 } };
  expect(plan(aHost([aServer("SHUTOFF")], [], stale)).next).toBeUndefined();
  expect(plan(aHost([aServer("ACTIVE")], [], stale)).next).toMatchObject({ do: "live" });
});

test("a call whose answer was lost is not repeated for a minute, unless a migration has come of it", () => {
  const called = (ago: number) => ({ ...record, called: { s1: { at: new Date(now - ago).toISOString(), after: 10 } } });
  expect(plan(aHost([aServer("ACTIVE")]), called(30_000)).next).toBeUndefined();
  expect(plan(aHost([aServer("ACTIVE")]), called(61_000)).next).toMatchObject({ do: "live" });
  expect(plan(aHost([aServer("ACTIVE")], [aMove("error")]), called(50_000)).next).toMatchObject({ do: "live" });
});

const calledFor = (server: string, ago: number, more: object = {}) => ({
  ...record,
  called: { [server]: { at: new Date(now - ago).toISOString(), after: 11, ...more } },
});

test("a confirmation waits a minute, others move meanwhile, and a person must act after three refusals", () => {
  const finished = aMove("finished", { server: "s2", type: "migration" });
  const host = aHost([aServer("ACTIVE")], [finished]);
  const one = { ...settings, evictionMoves: 1 };
  expect(planFor(host, calledFor("s2", 30_000), one).next).toEqual({ do: "live", server: "s1" });
  expect(planFor(host, calledFor("s2", 61_000), one).next).toEqual({ do: "confirm", server: "s2" });
  const given = plan(aHost([], [finished]), calledFor("s2", 61_000, { refused: 3 }));
  expect(given).toMatchObject({ next: undefined, counters: { unhandleable: 1, in_progress: 0 } });
  expect(given.message).toContain("Nova has refused to confirm it 3 times");
  expect(isStuck(given)).toBe(true);
});

test.each(["MIGRATING", "RESIZE"])("a server that is %s without a migration is under way", (status) => {
  const host = aHost([aServer(status), aServer("ACTIVE", { id: "s2" })]);
  const found = planFor(host, record, { ...settings, evictionMoves: 1 });
  expect(found).toMatchObject({ next: undefined, counters: { in_progress: 1, migratable: 1, pending: 0 } });
});

test("a server that is MIGRATING is named until a migration has come of the call, a minute after the call", () => {
  const noted = calledFor("s1", 61_000);
  expect(plan(aHost([aServer("MIGRATING")]), calledFor("s1", 59_000)).message).not.toContain("has done");
  const found = plan(aHost([aServer("MIGRATING")]), noted);
  expect(found).toMatchObject({ next: undefined, counters: { in_progress: 1, unhandleable: 0 }, ignored: 0 });
  expect(found.message).toContain("Nova has done nothing about 1 server (s1)");
  const came = [aMove("running", { id: 12, updated: now })];
  expect(plan(aHost([aServer("MIGRATING")], came), noted).message).not.toContain("has done");
});

test("calls that Nova refuses count as attempts, with the moves that have failed, until a migration comes", () => {
  const server = aServer("ACTIVE");
  expect(plan(aHost([server]), calledFor("s1", 61_000, { refused: 2 })).next).toMatchObject({ do: "live" });
  const given = plan(aHost([server]), calledFor("s1", 61_000, { refused: 3 }));
  expect(given).toMatchObject({ next: undefined, counters: { unhandleable: 1 } });
  expect(given.message).toContain("Nova has refused a move 3 times");
  const failure = [aMove("error")];
  expect(plan(aHost([server], failure), calledFor("s1", 61_000, { refused: 2 })).counters.unhandleable).toBe(1);
  expect(plan(aHost([server]), calledFor("s1", 31 * minute, { refused: 3 })).next).toMatchObject({ do: "live" });
  const came = [aMove("error", { id: 12 })];
  expect(plan(aHost([server], came), calledFor("s1", 61_000, { refused: 3 })).next).toMatchObject({ do: "live" });
});

test("calls that Nova does nothing about are repeated, with pauses of four minutes at most", () => {
  const server = aServer("ACTIVE");
  const pauses: number[] = [];
  // Each call keeps when the first one was made, and the next one comes when the plan says so.
  for (let since = 0, ago = 0; pauses.length < 6; ago = 0) {
    const more = since > 0 ? { since: new Date(now - since).toISOString() } : {};
    const at = (later: number) => {
      const shifted = { ...record, called: { s1: { at: new Date(now).toISOString(), after: 11, ...more } } };
      return planFor({ ...aHost([server]), at: now + later }, shifted, settings);
    };
    while (!at(ago).next) ago += 1000;
    expect(at(ago).message).toMatch(/nothing about 1 server \(s1\)\. Holdfast has asked Nova since .*nova-conductor/);
    expect(at(ago).stuck).toEqual([]);
    pauses.push(ago / minute);
    since += ago;
  }
  expect(pauses).toEqual([1, 1, 2, 4, 4, 4]);
});

test("a server whose call may still be carried out counts as one that moves, unless Nova refused the call", () => {
  const host = aHost([aServer("ACTIVE"), aServer("ACTIVE", { id: "s2" })]);
  const one = { ...settings, evictionMoves: 1 };
  expect(planFor(host, calledFor("s1", 30_000), one).next).toBeUndefined();
  expect(planFor(host, calledFor("s1", 61_000), one).next).toEqual({ do: "live", server: "s2" });
  const denied = calledFor("s1", 30_000, { refused: 1, denied: true });
  expect(planFor(host, denied, one).next).toEqual({ do: "live", server: "s2" });
});

test("servers that Nova does nothing about let the others have their turn", () => {
  const servers = ["s1", "s2", "s3"].map((id) => aServer("ACTIVE", { id }));
  const call = (ago: number) => ({ at: new Date(now - ago).toISOString(), after: 11 });
  const called = { s1: call(2 * minute), s2: call(3 * minute) };
  const one = { ...settings, evictionMoves: 1 };
  expect(planFor(aHost(servers), { ...record, called }, one).next?.server).toBe("s3");
  expect(planFor(aHost(servers.slice(0, 2)), { ...record, called }, one).next?.server).toBe("s2");
});

test("a person should look when Nova has done nothing for half an hour about all servers that are left", () => {
  const since = (ago: number) => ({ since: new Date(now - ago).toISOString() });
  const servers = [aServer("ACTIVE")];
  expect(isStuck(plan(aHost(servers), calledFor("s1", 2 * minute, since(29 * minute))))).toBe(false);
  const late = plan(aHost(servers), calledFor("s1", 5 * minute, since(31 * minute)));
  expect(isStuck(late)).toBe(true);
  expect(late.next).toMatchObject({ do: "live", server: "s1" });
  const other = aServer("ACTIVE", { id: "s2" });
  expect(isStuck(plan(aHost([...servers, other]), calledFor("s1", 2 * minute, since(31 * minute))))).toBe(false);
});

test("a move that Nova has been confirming for half an hour is left to a person, and holds no place", () => {
  const confirming = (ago: number) => aMove("confirming", { server: "s2", type: "migration", updated: now - ago });
  const one = { ...settings, evictionMoves: 1 };
  const host = (ago: number) => aHost([aServer("ACTIVE")], [confirming(ago)]);
  const noted = { ...record, cold: { s2: 10 } };
  expect(planFor(host(29 * minute), noted, one)).toMatchObject({ next: undefined, stuck: [] });
  const lost = planFor(host(31 * minute), noted, one);
  expect(lost).toMatchObject({ next: { do: "live", server: "s1" }, counters: { unhandleable: 1, in_progress: 0 } });
  expect(lost.message).toContain("openstack server event list s2");
});

test("nothing is said of calls without an effect while nova-compute is down, or a confirmation is under way", () => {
  const down = { service: { ...service, state: "down" as const } };
  expect(plan(aHost([aServer("ACTIVE")], [], down), calledFor("s1", 2 * minute)).message).not.toContain("has done");
  const confirming = aMove("confirming", { server: "s2", type: "migration" });
  expect(plan(aHost([], [confirming]), calledFor("s2", 2 * minute)).message).not.toContain("has done");
});

const statuses = ["ACTIVE", "SHUTOFF", "ERROR", "BUILD", "MIGRATING", "RESIZE", "VERIFY_RESIZE", "PAUSED", "NEW"];
const moves = ["accepted", "queued", "preparing", "running", "completed", "finished", "confirmed", "error", "done"];
const anyServer = fc
  .record({ id: fc.constantFrom("s1", "s2", "s3", "s4"), status: fc.constantFrom(...statuses) })
  .map(({ id, status }) => aServer(status, { id }));
const anyMove = fc
  .record({
    id: fc.integer({ min: 1, max: 30 }),
    server: fc.constantFrom("s1", "s2", "s3", "s4"),
    status: fc.constantFrom(...moves),
    type: fc.constantFrom("live-migration", "migration", "resize", "evacuation"),
  })
  .map((move) => aMove(move.status, move));
const anyHost = fc
  .tuple(fc.uniqueArray(anyServer, { selector: ({ id }) => id }), fc.array(anyMove))
  .map(([servers, migrations]) => aHost(servers, migrations));

test("never more moves than allowed, never two of one server, and every server is counted once", () => {
  fc.assert(
    fc.property(anyHost, (host) => {
      const { next, counters } = plan(host);
      const { in_progress: moving, migratable, pending, unhandleable } = counters;
      const isPast = ({ id, server }: Migration) =>
        host.migrations.some(
          (later) =>
            later.type === "evacuation" &&
            later.server === server &&
            later.id > id &&
            ["completed", "done"].includes(later.status),
        );
      const open = host.migrations.filter(
        (move) => !["completed", "confirmed", "error", "done"].includes(move.status) && !isPast(move),
      );
      if (next && next.do !== "confirm") {
        expect(moving).toBeLessThan(settings.evictionMoves);
        expect(open.filter(({ server, status }) => server === next.server && status !== "finished")).toEqual([]);
        expect(["ACTIVE", "PAUSED", "SHUTOFF"]).toContain(host.servers.find(({ id }) => id === next.server)?.status);
      }
      expect(isEmpty(host)).toBe(host.servers.length + open.length === 0);
      expect(migratable + pending + moving + unhandleable).toBeGreaterThanOrEqual(host.servers.length);
    }),
  );
});
