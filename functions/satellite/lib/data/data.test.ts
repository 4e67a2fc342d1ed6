import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Resource } from "../linstor/objects.ts";
import { aCopy, aNode, dataFacts, evacuating } from "../testing/data.ts";
import { copiesLostWith } from "./copies-lost.ts";
import { type DataFacts, goodCopies, whole } from "./data-facts.ts";
import { emptiness, mayRemove } from "./emptiness.ts";
import { lastCopies } from "./last-copies.ts";
import { mayEvacuate } from "./may-evacuate.ts";
import { countBefore, describeShortfalls, shortfalls } from "./replica-floor.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const pair = [aCopy("pvc-1", "node-1"), aCopy("pvc-1", "node-2")];
const connected = (connection: string) => ({
  nodes: [aNode("node-1"), aNode("node-2", { connection }), aNode("node-3")],
});
const storageOnly = { layer_object: { type: "STORAGE" }, state: {}, volumes: [{ volume_number: 0 }] };

describe("whether LINSTOR may be called to evacuate", () => {
  test.each<[string, DataFacts, string, RegExp]>([
    ["an empty node: the flag keeps new copies away", dataFacts(), "act", /Nothing is on/],
    ["good copies", dataFacts(pair), "act", /can be moved/],
    ["a source in use", dataFacts([aCopy("pvc-1", "node-1", "UpToDate", { state: { in_use: true } })]), "act", /moved/],
    ["an unused client", dataFacts([aCopy("pvc-1", "node-1", "Diskless"), aCopy("pvc-1", "node-2")]), "act", /moved/],
    [
      "a stale source with as many good peers as the place count asks for",
      dataFacts([aCopy("pvc-1", "node-1", "Outdated"), pair[1] as Resource, aCopy("pvc-1", "node-3")]),
      "act",
      /moved/,
    ],
    [
      "a stale source with one good peer of two copies",
      dataFacts([aCopy("pvc-1", "node-1", "Outdated"), pair[1] as Resource]),
      "stop",
      /too few would be left: pvc-1 \(1 of 2\).*--auto-place \+1.*place-count/,
    ],
    [
      "an offline node with nothing on it",
      dataFacts([], { node: aNode("node-1", { connection: "OFFLINE" }) }),
      "act",
      /Nothing is on the node/,
    ],
    [
      "an evicted node with nothing on it",
      dataFacts([], { node: aNode("node-1", { flags: ["DELETE", "EVICTED"], connection: "OFFLINE" }) }),
      "done",
      /nothing is on it/,
    ],
    [
      "an offline node",
      dataFacts(pair, { node: aNode("node-1", { connection: "OFFLINE" }) }),
      "stop",
      /is OFFLINE.*Delete/,
    ],
    ["a peer that is still read", dataFacts(pair, connected("CONNECTED")), "wait", /still reads the state of node-2/],
    ["an offline peer", dataFacts(pair, connected("OFFLINE")), "act", /moved/],
    [
      "a copy that no satellite has reported",
      dataFacts([aCopy("pvc-1", "node-1", "absent")]),
      "stop",
      /not yet reported.*pvc-1/,
    ],
    [
      "a client in use",
      dataFacts([aCopy("pvc-1", "node-1", "Diskless", { state: { in_use: true } }), aCopy("pvc-1", "node-2")]),
      "wait",
      /pvc-1 is in use on the node without a copy/,
    ],
    [
      "a volume without DRBD",
      dataFacts([aCopy("vol", "node-1", "absent", storageOnly)]),
      "stop",
      /vol .* cannot be moved/,
    ],
    [
      "the only copy, stale",
      dataFacts([aCopy("pvc-1", "node-1", "Outdated")]),
      "stop",
      /would delete the one on node-1/,
    ],
    [
      "the only good copy on a node that is offline",
      dataFacts([aCopy("pvc-1", "node-1", "Outdated"), pair[1] as Resource], connected("OFFLINE")),
      "stop",
      /No copy of pvc-1/,
    ],
    [
      "a copy that another evacuation has begun, not deployed yet",
      dataFacts([...pair, aCopy("pvc-1", "node-3", "absent")]),
      "wait",
      /pvc-1 is still being made/,
    ],
    ["a copy that still syncs", dataFacts([...pair, aCopy("pvc-1", "node-3", "SyncTarget(3%)")]), "wait", /being made/],
    [
      "a copy that another node has which is evacuated as well",
      dataFacts([...pair, aCopy("pvc-1", "node-3")], {
        nodes: [aNode("node-1"), aNode("node-2", { flags: ["EVACUATE"] }), aNode("node-3")],
      }),
      "wait",
      /evacuates node-2 as well, where a copy of pvc-1 still is/,
    ],
    [
      "another node that is evacuated, and has no copy any more",
      dataFacts([...pair.slice(0, 1), aCopy("pvc-1", "node-3")], {
        nodes: [aNode("node-1"), aNode("node-2", { flags: ["EVACUATE"] }), aNode("node-3")],
      }),
      "act",
      /can be moved/,
    ],
    [
      "an evicted node",
      dataFacts(pair, { node: aNode("node-1", { flags: ["DELETE", "EVICTED"] }) }),
      "stop",
      /evicted/,
    ],
    ["a call of a moment ago", dataFacts(pair, { calledAt: now - 1000 }), "wait", /was just called/],
    ["a call in the future: the clock was set back", dataFacts(pair, { calledAt: now + 1000 }), "act", /moved/],
  ])("%s", (_what, facts, verdict, message) => {
    const found = mayEvacuate(facts, now);
    expect([found.do, whole(found)]).toEqual([verdict, expect.stringMatching(message)]);
  });

  const again = (copies: Resource[], more: Partial<DataFacts> = {}) => dataFacts(copies, { ...evacuating, ...more });
  const three = [...pair, aCopy("pvc-1", "node-3")];
  test.each<[string, DataFacts, string, RegExp]>([
    ["nothing is left", again([aCopy("pvc-1", "node-2")]), "done", /is moving everything/],
    [
      "all of it is leaving",
      again([aCopy("pvc-1", "node-1", "UpToDate", { flags: ["DELETE"] })]),
      "done",
      /is moving everything/,
    ],
    [
      "a replacement syncs",
      again([...pair, aCopy("pvc-1", "node-3", "SyncTarget(10.62%)")]),
      "done",
      /makes new copies/,
    ],
    ["a replacement is not deployed", again([...pair, aCopy("pvc-1", "node-3", "absent")]), "done", /makes new copies/],
    [
      "a tie breaker gets a disk",
      again([...pair, aCopy("pvc-1", "node-3", "Diskless", { flags: ["DISKLESS", "DISK_ADDING"] })]),
      "done",
      /makes new/,
    ],
    [
      "the source is in use",
      again([aCopy("pvc-1", "node-1", "UpToDate", { state: { in_use: true } }), ...three.slice(1)]),
      "done",
      /released/,
    ],
    [
      "only what cannot be moved is left",
      again([aCopy("vol", "node-1", "absent", storageOnly)]),
      "done",
      /cannot move/,
    ],
    ["all is UpToDate, and the controller has forgotten", again(three), "act", /pvc-1.*called again/],
    ["the same within the time of a call", again(three, { calledAt: now - 100_000 }), "wait", /was just called/],
    [
      "the target's node is offline",
      again([...pair, aCopy("pvc-1", "node-3", "absent")], {
        nodes: [aNode("node-1"), aNode("node-2"), aNode("node-3", { connection: "OFFLINE" })],
      }),
      "wait",
      /is on node-3, whose satellite is not online/,
    ],
  ])("again: %s", (_what, facts, verdict, message) => {
    const found = mayEvacuate(facts, now);
    expect([found.do, whole(found)]).toEqual([verdict, expect.stringMatching(message)]);
  });
});

describe("the end of an evacuation", () => {
  const elsewhere = [aCopy("pvc-1", "node-2"), aCopy("pvc-1", "node-3")];
  const before = { "pvc-1": 2 };
  const snapshots = [{ name: "s", resource: "pvc-1", nodes: ["node-1"], flags: [] }];
  test.each<[string, DataFacts, string, RegExp]>([
    ["empty, and as many copies as before", dataFacts(elsewhere, { before }), "done", /empty/],
    ["empty, and one copy less", dataFacts(elsewhere.slice(1), { before }), "stop", /pvc-1 \(1 of 2\)/],
    [
      "empty, with a copy that still syncs",
      dataFacts([elsewhere[0] as Resource, aCopy("pvc-1", "node-3", "SyncTarget(9%)")], { before }),
      "stop",
      /1 of 2/,
    ],
    ["there was but one copy before", dataFacts(elsewhere.slice(1), { before: { "pvc-1": 1 } }), "done", /empty/],
    [
      "no copy was good before: one has to be",
      dataFacts([], { before: { "pvc-1": 0 }, placeCounts: new Map([["pvc-1", 2]]) }),
      "stop",
      /0 of 1/,
    ],
    ["the volume was deleted meanwhile", dataFacts([], { before, placeCounts: new Map() }), "done", /empty/],
    [
      "no place count is set",
      dataFacts(elsewhere.slice(1), { before, placeCounts: new Map([["pvc-1", undefined]]) }),
      "stop",
      /1 of 2/,
    ],
    [
      "a copy is left",
      dataFacts([...pair, aCopy("pvc-1", "node-3", "SyncTarget(9%)")], evacuating),
      "wait",
      /Still on the node: pvc-1.*made on node-3/,
    ],
    [
      "a copy is left and in use",
      dataFacts([aCopy("pvc-1", "node-1", "UpToDate", { state: { in_use: true } })], evacuating),
      "wait",
      /In use there: pvc-1/,
    ],
    [
      "a copy is being deleted, which its satellite cannot do",
      dataFacts([...elsewhere, aCopy("pvc-1", "node-1", "UpToDate", { flags: ["EVACUATE", "DELETE"] })], evacuating),
      "wait",
      /Being deleted there: pvc-1; .* the log of the satellite on node-1/,
    ],
    [
      "what LINSTOR could not do is said",
      dataFacts(pair, { warnings: ["no available storage pool was found."] }),
      "wait",
      /LINSTOR says: no available/,
    ],
    [
      "a snapshot is left that exists nowhere else",
      dataFacts(elsewhere, { before, snapshots }),
      "stop",
      /pvc-1\/s, and nothing else. Of pvc-1\/s there is no other/,
    ],
    ["not replicated", dataFacts([aCopy("vol", "node-1", "absent", storageOnly)]), "stop", /cannot move/],
    [
      "offline with copies",
      dataFacts(pair, { node: aNode("node-1", { connection: "OFFLINE" }) }),
      "stop",
      /is OFFLINE/,
    ],
  ])("%s", (_what, facts, verdict, message) => {
    const found = emptiness(facts);
    expect([found.do, whole(found)]).toEqual([verdict, expect.stringMatching(message)]);
    expect(mayRemove(facts).do).toBe(verdict === "done" ? "act" : verdict);
  });

  test("an evicted node is given up, because DELETE of it has no effect", () => {
    const node = aNode("node-1", { flags: ["DELETE", "EVICTED"], connection: "OFFLINE" });
    expect(mayRemove(dataFacts([], { node }))).toMatchObject({ do: "act", by: "lose" });
  });
  test("an empty node is deleted, also when it is offline or listed with DELETE already", () => {
    for (const node of [aNode("node-1", { connection: "OFFLINE" }), aNode("node-1", { flags: ["DELETE", "EVACUATE"] })])
      expect(mayRemove(dataFacts([], { node }))).toMatchObject({ do: "act", by: "delete" });
  });
  test("what LINSTOR does not list is removed", () => expect(mayRemove(undefined).do).toBe("done"));
  test("what is written down before are copies on online nodes, good or not, of what has a diskful copy there", () => {
    const copies = [...pair, aCopy("pvc-2", "NODE-1", "Diskless"), aCopy("pvc-3", "NODE-1", "Outdated")];
    expect(countBefore(dataFacts(copies))).toEqual({ "pvc-1": 2, "pvc-3": 1 });
  });
});

/** Anything that a LINSTOR could list, whether it makes sense or not. */
const names = ["node-1", "node-2", "node-3"];
const someCopy = fc
  .record({
    name: fc.constantFrom("a", "b"),
    node: fc.constantFrom("node-1", "NODE-1", "node-2", "node-3"),
    state: fc.constantFrom("UpToDate", "Outdated", "Inconsistent", "SyncTarget(1.00%)", "Diskless", "absent", "Failed"),
    flags: fc.subarray(["EVACUATE", "DELETE", "DRBD_DELETE", "INACTIVE"]),
    inUse: fc.boolean(),
  })
  .map(({ name, node, state, flags, inUse }) => {
    const diskless = state === "Diskless" ? ["DISKLESS"] : [];
    const reported = state === "absent" ? {} : { state: { in_use: inUse } };
    return aCopy(name, node, state, { flags: [...flags, ...diskless], ...reported });
  });
const someFacts = fc
  .record({
    copies: fc.array(someCopy, { maxLength: 6 }),
    connections: fc.tuple(...names.map(() => fc.constantFrom("ONLINE", "ONLINE", "OFFLINE", "CONNECTED"))),
    flags: fc.subarray(["EVACUATE", "DELETE"]),
    placeCounts: fc.record({
      a: fc.option(fc.nat(3), { nil: undefined }),
      b: fc.option(fc.nat(3), { nil: undefined }),
    }),
    before: fc.dictionary(fc.constantFrom("a", "b"), fc.nat(3)),
  })
  .map(({ copies, connections, flags, placeCounts, before }) => {
    const nodes = names.map((name, index) =>
      aNode(name, { connection: connections[index] as string, flags: index ? [] : flags }),
    );
    return dataFacts(copies, { nodes, before, placeCounts: new Map(Object.entries(placeCounts)) });
  });

const onNode1 = ({ node }: Resource) => node.toLowerCase() === "node-1";
/** Counted without the code under test: copies of which anybody would say that the data is there. */
function usable(facts: DataFacts, definition: string) {
  return facts.copies.filter(({ name, node, flags, volumes }) => {
    const gone = flags.some((flag) => ["DELETE", "DRBD_DELETE", "DISKLESS", "INACTIVE"].includes(flag));
    const online = facts.nodes.some((one) => one.name === node.toLowerCase() && one.connection === "ONLINE");
    return name === definition && !gone && online && volumes.every(({ diskState }) => diskState === "UpToDate");
  });
}

describe("properties of any list of LINSTOR", () => {
  test("a node is removed only when it is empty, and all that was on it is usable elsewhere", () => {
    let removed = 0;
    fc.assert(
      fc.property(someFacts, (facts) => {
        if (mayRemove(facts).do !== "act") return;
        removed++;
        expect(facts.copies.filter(onNode1)).toEqual([]);
        for (const [definition, before] of Object.entries(facts.before)) {
          const left = usable(facts, definition).length;
          expect(left).toBeGreaterThanOrEqual(1);
          expect(left).toBeGreaterThanOrEqual(Math.min(before, facts.placeCounts.get(definition) ?? before));
        }
      }),
      { numRuns: 2000 },
    );
    expect(removed).toBeGreaterThan(20);
  });

  test("evacuate is called only where no source can be the last good copy and be deleted at once", () => {
    let calls = 0;
    fc.assert(
      fc.property(someFacts, (facts) => {
        if (mayEvacuate(facts, now).do !== "act") return;
        calls++;
        if (facts.copies.some(onNode1)) expect(facts.node.connection).toBe("ONLINE");
        expect(facts.nodes.map(({ connection }) => connection)).not.toContain("CONNECTED");
        const staying = facts.copies.filter(
          (copy) => onNode1(copy) && !copy.flags.some((flag) => flag.endsWith("DELETE")),
        );
        for (const source of staying) {
          expect(source.reported).toBe(true);
          const stale = !source.flags.includes("DISKLESS") && source.volumes[0]?.diskState !== "UpToDate";
          if (stale) expect(usable(facts, source.name).length).toBeGreaterThan(0);
          // Nothing of it is syncing or being deployed on a node that would say so.
          const others = facts.copies.filter(({ name, node }) => name === source.name && node !== source.node);
          for (const { node, flags, volumes } of others) {
            const listens = facts.nodes.some((one) => one.name === node.toLowerCase() && one.connection === "ONLINE");
            const leaves = flags.some((flag) => flag.endsWith("DELETE"));
            if (listens && !leaves)
              expect(volumes[0]?.diskState ?? "absent").not.toMatch(/^(Inconsistent|SyncTarget|absent)/);
          }
        }
      }),
      { numRuns: 3000 },
    );
    expect(calls).toBeGreaterThan(50);
  });

  test("another good copy elsewhere never makes the floor worse", () => {
    fc.assert(
      fc.property(someFacts, fc.constantFrom("a", "b"), (facts, name) => {
        // On a node that is online and had none; what is there before is taken as it was written down.
        const nodes = [...facts.nodes, aNode("node-9")];
        const recorded = { ...countBefore(facts), ...facts.before };
        const base = { ...facts, nodes, before: recorded };
        const more = { ...base, copies: [...facts.copies, aCopy(name, "node-9")] };
        expect(shortfalls(more).length).toBeLessThanOrEqual(shortfalls(base).length);
      }),
    );
  });
});

describe("copies that say UpToDate, and whose connections DRBD shows", () => {
  /** The copy of pvc-1 on a node, with the state of its connection to each of these nodes. */
  const linked = (node: string, links: Readonly<Record<string, string>>, diskState?: string) => {
    const shown = Object.entries(links).map(([peer, message]) => [
      peer,
      { connected: message === "Connected", message },
    ]);
    const drbd = { connections: Object.fromEntries(shown) };
    return aCopy("pvc-1", node, diskState, { layer_object: { type: "DRBD", children: [{ type: "STORAGE" }], drbd } });
  };
  const apart = [linked("node-1", { "node-2": "StandAlone" }), linked("node-2", { "NODE-1": "Connecting" })];
  const goodOf = (copies: readonly Resource[], more: Partial<DataFacts> = {}) =>
    goodCopies("pvc-1", dataFacts(copies, more)).map(({ node }) => node);
  const offline = { nodes: [aNode("node-1"), aNode("node-2", { connection: "OFFLINE" }), aNode("node-3")] };

  test.each<[string, readonly string[], readonly Resource[], Partial<DataFacts>]>([
    [
      "that are connected are good",
      ["node-1", "node-2"],
      [linked("node-1", { "node-2": "Connected" }), linked("node-2", { "node-1": "Connected" })],
      {},
    ],
    ["that are not connected: none is known to be good", [], apart, {}],
    [
      "of which one is cut off: the others are good",
      ["node-1", "node-2"],
      [
        linked("node-1", { "node-2": "Connected", "node-3": "Connecting" }),
        linked("node-2", { "node-1": "Connected", "node-3": "Connecting" }),
        linked("node-3", { "node-1": "StandAlone", "node-2": "StandAlone" }),
      ],
      {},
    ],
    [
      "without a connection to one that is no good copy: that one cannot be newer",
      ["node-1"],
      [linked("node-1", { "node-2": "Connecting" }), linked("node-2", { "node-1": "Connecting" }, "Outdated")],
      {},
    ],
    [
      "without a connection to a node that is offline, as far as LINSTOR says",
      ["node-1"],
      [linked("node-1", { "node-2": "Connecting" }), aCopy("pvc-1", "node-2", "absent")],
      offline,
    ],
    ["of which DRBD shows no connection", ["node-1", "node-2"], [linked("node-1", {}), linked("node-2", {})], {}],
  ])("%s", (_, good, copies, more) => {
    expect(goodOf(copies, more)).toEqual(good);
  });

  test("of which one is cut off: LINSTOR counts it, and would delete a good one without a replacement", () => {
    const links = { "node-1": "StandAlone", "node-2": "StandAlone" };
    const copies = [
      linked("node-1", { "node-2": "Connected", "node-3": "StandAlone" }),
      linked("node-2", { "node-1": "Connected", "node-3": "StandAlone" }),
      linked("node-3", links),
    ];
    const found = (going: readonly string[]) => mayEvacuate(dataFacts(copies, { going }), now);
    for (const going of [[], ["node-2"]]) {
      expect(found(going).do).toBe("stop");
      expect(whole(found(going))).toMatch(/without a replacement/);
    }
  });

  test("of which the one on the node is cut off: LINSTOR is not called, because it may be the newest", () => {
    const copies = [
      linked("node-1", { "node-2": "StandAlone", "node-3": "StandAlone" }),
      linked("node-2", { "node-1": "StandAlone", "node-3": "Connected" }),
      linked("node-3", { "node-1": "StandAlone", "node-2": "Connected" }),
    ];
    expect(whole(mayEvacuate(dataFacts(copies), now))).toMatch(/The copies of pvc-1 say UpToDate, but are not conn/);
  });

  test("and that are not connected: LINSTOR is not called, and the sentence says why", () => {
    const verdict = mayEvacuate(dataFacts(apart), now);
    expect(verdict.do).toBe("stop");
    expect(whole(verdict)).toMatch(/The copies of pvc-1 say UpToDate, but are not connected.*drbdadm/);
  });

  test("and that are not connected count as none that are left", () => {
    const facts = dataFacts(apart, evacuating);
    expect(describeShortfalls(shortfalls(facts))).toBe("pvc-1 (0 of 2, 2 without a connection)");
    // Also where the node of the other one is left out, because it goes.
    expect(lastCopies(dataFacts([...apart, linked("node-3", { "node-1": "StandAlone" })]))).toEqual(["pvc-1"]);
    expect(copiesLostWith("node-1", apart, facts.nodes)).toEqual([{ name: "pvc-1", elsewhere: [] }]);
  });
});
