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
const onNode2 = aCopy("pvc-1", "node-2");
const pair = [aCopy("pvc-1", "node-1"), onNode2];
const stale = aCopy("pvc-1", "node-1", "Outdated");
const connected = (connection: string) => ({
  nodes: [aNode("node-1"), aNode("node-2", { connection }), aNode("node-3")],
});
const inUse = { state: { in_use: true } };
const evicted = ["DELETE", "EVICTED"];
const offline = { node: aNode("node-1", { connection: "OFFLINE" }) };
const bothLeave = { nodes: [aNode("node-1"), aNode("node-2", { flags: ["EVACUATE"] }), aNode("node-3")] };
const storageOnly = { layer_object: { type: "STORAGE" }, state: {}, volumes: [{ volume_number: 0 }] };

describe("whether LINSTOR may be called to evacuate", () => {
  const decides = (verdict: string, message: RegExp, copies?: Resource[], more?: Partial<DataFacts>) => {
    const found = mayEvacuate(dataFacts(copies, more), now);
    expect([found.do, whole(found)]).toEqual([verdict, expect.stringMatching(message)]);
  };
  test("an empty node: the flag keeps new copies away", () => decides("act", /Nothing is on/));
  test("good copies", () => decides("act", /can be moved/, pair));
  test("a source in use", () => decides("act", /moved/, [aCopy("pvc-1", "node-1", "UpToDate", inUse)]));
  test("an unused client", () => decides("act", /moved/, [aCopy("pvc-1", "node-1", "Diskless"), onNode2]));
  test("a stale source with as many good peers as the place count asks for", () =>
    decides("act", /moved/, [stale, onNode2, aCopy("pvc-1", "node-3")]));
  test("a stale source with one good peer of two copies", () =>
    decides("stop", /too few would be left: pvc-1 \(1 of 2\).*--auto-place \+1.*place-count/, [stale, onNode2]));
  test("an offline node with nothing on it", () => decides("act", /Nothing is on the node/, [], offline));
  test("an evicted node with nothing on it", () =>
    decides("done", /nothing is on it/, [], { node: aNode("node-1", { flags: evicted, connection: "OFFLINE" }) }));
  test("an offline node", () => decides("stop", /is OFFLINE.*Delete/, pair, offline));
  test("a peer that is still read", () =>
    decides("wait", /still reads the state of node-2/, pair, connected("CONNECTED")));
  test("an offline peer", () => decides("act", /moved/, pair, connected("OFFLINE")));
  test("a copy that no satellite has reported", () =>
    decides("stop", /not yet reported.*pvc-1/, [aCopy("pvc-1", "node-1", "absent")]));
  test("a client in use", () =>
    decides("wait", /pvc-1 is in use on the node without a copy/, [
      aCopy("pvc-1", "node-1", "Diskless", inUse),
      onNode2,
    ]));
  test("a volume without DRBD", () =>
    decides("stop", /vol .* cannot be moved/, [aCopy("vol", "node-1", "absent", storageOnly)]));
  test("the only copy, stale", () => decides("stop", /would delete the one on node-1/, [stale]));
  test("the only good copy on a node that is offline", () =>
    decides("stop", /No copy of pvc-1/, [stale, onNode2], connected("OFFLINE")));
  test("a copy that another evacuation has begun, not deployed yet", () =>
    decides("wait", /pvc-1 is still being made/, [...pair, aCopy("pvc-1", "node-3", "absent")]));
  test("a copy that still syncs", () =>
    decides("wait", /being made/, [...pair, aCopy("pvc-1", "node-3", "SyncTarget(3%)")]));
  test("a copy that another node has which is evacuated as well", () =>
    decides(
      "wait",
      /evacuates node-2 as well, where a copy of pvc-1 still is/,
      [...pair, aCopy("pvc-1", "node-3")],
      bothLeave,
    ));
  test("another node that is evacuated, and has no copy any more", () =>
    decides("act", /can be moved/, [...pair.slice(0, 1), aCopy("pvc-1", "node-3")], bothLeave));
  test("an evicted node", () => decides("stop", /evicted/, pair, { node: aNode("node-1", { flags: evicted }) }));
  test("a call of a moment ago", () => decides("wait", /was just called/, pair, { calledAt: now - 1000 }));
  test("a call in the future: the clock was set back", () => decides("act", /moved/, pair, { calledAt: now + 1000 }));

  const decidesAgain = (verdict: string, message: RegExp, copies: Resource[], more: Partial<DataFacts> = {}) =>
    decides(verdict, message, copies, { ...evacuating, ...more });
  const three = [...pair, aCopy("pvc-1", "node-3")];
  test("again: nothing is left", () => decidesAgain("done", /is moving everything/, [onNode2]));
  test("again: all of it is leaving", () =>
    decidesAgain("done", /is moving everything/, [aCopy("pvc-1", "node-1", "UpToDate", { flags: ["DELETE"] })]));
  test("again: a replacement syncs", () =>
    decidesAgain("done", /makes new copies/, [...pair, aCopy("pvc-1", "node-3", "SyncTarget(10.62%)")]));
  test("again: a replacement is not deployed", () =>
    decidesAgain("done", /makes new copies/, [...pair, aCopy("pvc-1", "node-3", "absent")]));
  test("again: a tie breaker gets a disk", () =>
    decidesAgain("done", /makes new/, [
      ...pair,
      aCopy("pvc-1", "node-3", "Diskless", { flags: ["DISKLESS", "DISK_ADDING"] }),
    ]));
  test("again: the source is in use", () =>
    decidesAgain("done", /released/, [aCopy("pvc-1", "node-1", "UpToDate", inUse), ...three.slice(1)]));
  test("again: only what cannot be moved is left", () =>
    decidesAgain("done", /cannot move/, [aCopy("vol", "node-1", "absent", storageOnly)]));
  test("again: all is UpToDate, and the controller has forgotten", () =>
    decidesAgain("act", /pvc-1.*called again/, three));
  test("again: the same within the time of a call", () =>
    decidesAgain("wait", /was just called/, three, { calledAt: now - 100_000 }));
  test("again: the target's node is offline", () =>
    decidesAgain("wait", /is on node-3, whose satellite is not online/, [...pair, aCopy("pvc-1", "node-3", "absent")], {
      nodes: [aNode("node-1"), aNode("node-2"), aNode("node-3", { connection: "OFFLINE" })],
    }));
});

describe("the end of an evacuation", () => {
  const elsewhere = [onNode2, aCopy("pvc-1", "node-3")];
  const before = { "pvc-1": 2 };
  const snapshots = [{ name: "s", resource: "pvc-1", nodes: ["node-1"], flags: [] }];
  const decides = (verdict: string, message: RegExp, copies: Resource[], more?: Partial<DataFacts>) => {
    const facts = dataFacts(copies, more);
    const found = emptiness(facts);
    expect([found.do, whole(found)]).toEqual([verdict, expect.stringMatching(message)]);
    expect(mayRemove(facts).do).toBe(verdict === "done" ? "act" : verdict);
  };
  test("empty, and as many copies as before", () => decides("done", /empty/, elsewhere, { before }));
  test("empty, and one copy less", () => decides("stop", /pvc-1 \(1 of 2\)/, elsewhere.slice(1), { before }));
  test("empty, with a copy that still syncs", () =>
    decides("stop", /1 of 2/, [onNode2, aCopy("pvc-1", "node-3", "SyncTarget(9%)")], { before }));
  test("there was but one copy before", () => decides("done", /empty/, elsewhere.slice(1), { before: { "pvc-1": 1 } }));
  test("no copy was good before: one has to be", () =>
    decides("stop", /0 of 1/, [], { before: { "pvc-1": 0 }, placeCounts: new Map([["pvc-1", 2]]) }));
  test("the volume was deleted meanwhile", () => decides("done", /empty/, [], { before, placeCounts: new Map() }));
  test("no place count is set", () =>
    decides("stop", /1 of 2/, elsewhere.slice(1), { before, placeCounts: new Map([["pvc-1", undefined]]) }));
  test("a copy is left", () =>
    decides(
      "wait",
      /Still on the node: pvc-1.*made on node-3/,
      [...pair, aCopy("pvc-1", "node-3", "SyncTarget(9%)")],
      evacuating,
    ));
  test("a copy is left and in use", () =>
    decides("wait", /In use there: pvc-1/, [aCopy("pvc-1", "node-1", "UpToDate", inUse)], evacuating));
  test("a copy is being deleted, which its satellite cannot do", () =>
    decides(
      "wait",
      /Being deleted there: pvc-1; .* the log of the satellite on node-1/,
      [...elsewhere, aCopy("pvc-1", "node-1", "UpToDate", { flags: ["EVACUATE", "DELETE"] })],
      evacuating,
    ));
  test("what LINSTOR could not do is said", () =>
    decides("wait", /LINSTOR says: no available/, pair, { warnings: ["no available storage pool was found."] }));
  test("a snapshot is left that exists nowhere else", () =>
    decides("stop", /pvc-1\/s, and nothing else. Of pvc-1\/s there is no other/, elsewhere, { before, snapshots }));
  test("not replicated", () => decides("stop", /cannot move/, [aCopy("vol", "node-1", "absent", storageOnly)]));
  test("offline with copies", () => decides("stop", /is OFFLINE/, pair, offline));

  test("an evicted node is given up, because DELETE of it has no effect", () => {
    const node = aNode("node-1", { flags: evicted, connection: "OFFLINE" });
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

  const areGood = (good: readonly string[], copies: readonly Resource[], more: Partial<DataFacts>) =>
    expect(goodOf(copies, more)).toEqual(good);
  test("that are connected are good", () =>
    areGood(
      ["node-1", "node-2"],
      [linked("node-1", { "node-2": "Connected" }), linked("node-2", { "node-1": "Connected" })],
      {},
    ));
  test("that are not connected: none is known to be good", () => areGood([], apart, {}));
  test("of which one is cut off: the others are good", () =>
    areGood(
      ["node-1", "node-2"],
      [
        linked("node-1", { "node-2": "Connected", "node-3": "Connecting" }),
        linked("node-2", { "node-1": "Connected", "node-3": "Connecting" }),
        linked("node-3", { "node-1": "StandAlone", "node-2": "StandAlone" }),
      ],
      {},
    ));
  test("without a connection to one that is no good copy: that one cannot be newer", () =>
    areGood(
      ["node-1"],
      [linked("node-1", { "node-2": "Connecting" }), linked("node-2", { "node-1": "Connecting" }, "Outdated")],
      {},
    ));
  test("without a connection to a node that is offline, as far as LINSTOR says", () =>
    areGood(["node-1"], [linked("node-1", { "node-2": "Connecting" }), aCopy("pvc-1", "node-2", "absent")], offline));
  test("of which DRBD shows no connection", () =>
    areGood(["node-1", "node-2"], [linked("node-1", {}), linked("node-2", {})], {}));

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
