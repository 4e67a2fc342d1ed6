import { describe, expect, test } from "vitest";
import { registrationKey, removalKey } from "../lib/noted-calls.ts";
import { satelliteFinalizer } from "../lib/satellite.ts";
import { aCopy, aNode, dataFacts, evacuating } from "../lib/testing/data.ts";
import { aLeaving, aMachine, aSatellite, now, unlisted as without } from "../lib/testing/seen.ts";
import { remove } from "./rule.ts";

const settings = remove.settings.parse({});
const decide = (seen: ReturnType<typeof aLeaving>) => remove.decide({ seen: [seen] }, now, settings)[0];
const called = { ...evacuating, calledAt: now - 600_000, before: { "pvc-1": 2 } };
const empty = dataFacts([aCopy("pvc-1", "node-2"), aCopy("pvc-1", "node-3")], called);
const evicted = dataFacts([aCopy("pvc-1", "node-2"), aCopy("pvc-1", "node-3")], {
  ...called,
  node: aNode("node-1", { flags: ["EVACUATE", "EVICTED"], connection: "OFFLINE" }),
});
const proof = (proven?: true) => JSON.stringify({ v: 1, uid: "u1", called: "2020-01-01T00:00:00.000Z", proven });
const unlisted = { ...aLeaving(), facts: without(aLeaving().facts) };

describe("a satellite that is being deleted", () => {
  test.each([
    ["delete a node", empty],
    ["give a node up as lost", evicted],
  ])("LINSTOR is asked to %s", (name, data) => {
    expect(decide(aLeaving({ data }))).toMatchObject({ do: "call", command: { name, input: { node: "node-1" } } });
  });

  test.each([
    ["no note", undefined, { op: "remove" }],
    ["an earlier note", "earlier", { op: "replace", value: "earlier" }],
    ["an earlier proof", proof(true), { op: "replace", value: proof() }],
  ])("over %s: a call that is not made leaves no note that the node was empty", (_, former, undone) => {
    const annotations = { ...aSatellite().metadata.annotations, ...(former ? { [removalKey]: former } : {}) };
    const decision = decide(aLeaving({ data: empty }, { satellite: aSatellite({ metadata: { annotations } }) }));
    const path = "/metadata/annotations/holdfast.dev~1removal";
    const patch = [{ path: "/metadata/uid" }, { op: "test", path, value: expect.stringContaining("proven") }, undone];
    expect(decision).toMatchObject({ do: "call", unsent: { type: "json", patch } });
  });

  test.each([
    ["got a copy since", [aCopy("pvc-1", "node-1")], 1],
    ["stayed empty", [], 0],
  ])("a note that a node was empty is withdrawn where the node has %s", (_, here, writes) => {
    const note = { v: 1, uid: "u1", called: new Date(now - 700_000).toISOString(), proven: true };
    const annotations = { ...aSatellite().metadata.annotations, [removalKey]: JSON.stringify(note) };
    const data = dataFacts([...here, aCopy("pvc-1", "node-2"), aCopy("pvc-1", "node-3")], called);
    const seen = aLeaving({ data }, { satellite: aSatellite({ metadata: { annotations } }) });
    const decisions = remove.decide({ seen: [seen] }, now, settings);
    const found = decisions.flatMap((one) => (one.do === "write" ? one.writes : []));
    const path = "/metadata/annotations/holdfast.dev~1removal";
    const unproven = JSON.stringify({ ...note, proven: undefined });
    const withdrawal = { patch: expect.arrayContaining([{ op: "replace", path, value: unproven }]) };
    expect(found.filter((write) => JSON.stringify(write).includes(path))).toMatchObject(writes ? [withdrawal] : []);
  });

  test.each([
    ["far ahead is dated to the present", 1_200_000, { op: "replace", value: expect.stringContaining("2026-") }],
    ["long ago is removed", -700_000, { op: "remove" }],
  ])("a note of a call %s where LINSTOR lists the node and it has data", (_, ahead, change) => {
    const note = { v: 1, uid: "u1", called: new Date(now + ahead).toISOString() };
    const annotations = { ...aSatellite().metadata.annotations, [removalKey]: JSON.stringify(note) };
    const data = dataFacts([aCopy("pvc-1", "node-1"), aCopy("pvc-1", "node-2")], called);
    const seen = aLeaving({ data }, { satellite: aSatellite({ metadata: { annotations } }) });
    const writes = remove
      .decide({ seen: [seen] }, now, settings)
      .flatMap((one) => (one.do === "write" ? one.writes : []));
    const path = "/metadata/annotations/holdfast.dev~1removal";
    expect(writes).toMatchObject([{ patch: expect.arrayContaining([expect.objectContaining({ path, ...change })]) }]);
    expect(JSON.stringify(writes).includes(new Date(now).toISOString())).toBe(ahead > 0);
  });

  test("a call that LINSTOR has refused is repeated only after a pause", () => {
    const afterCall = (ms: number) => {
      const note = { v: 1, uid: "u1", called: new Date(now - ms).toISOString(), answered: true, proven: true };
      const annotations = { ...aSatellite().metadata.annotations, [removalKey]: JSON.stringify(note) };
      return decide(aLeaving({ data: empty }, { satellite: aSatellite({ metadata: { annotations } }) }));
    };
    const { satelliteLookAgain } = settings;
    const message = expect.stringContaining("still lists it");
    expect(afterCall(satelliteLookAgain - 1)).toMatchObject({ do: "write", step: { name: "waiting" }, message });
    for (const ms of [satelliteLookAgain, -1_000]) expect(afterCall(ms)).toMatchObject({ do: "call" });
  });

  test.each<[string, object, boolean]>([
    ["was refused", { answered: true }, true],
    ["may still take effect", {}, false],
    ["had proof that it was empty, as it is", { answered: true, proven: true }, false],
  ])("a note is removed where LINSTOR lists the node after a call that %s", (_, call, isRemoved) => {
    const text = JSON.stringify({ v: 1, uid: "u1", called: new Date(now - 60_000).toISOString(), ...call });
    const annotations = { ...aSatellite().metadata.annotations, [removalKey]: text };
    const seen = aLeaving({ data: empty }, { satellite: aSatellite({ metadata: { annotations } }) });
    const [first] = remove.decide({ seen: [seen] }, now, settings);
    const patch = [{ op: "remove", path: "/metadata/annotations/holdfast.dev~1removal" }];
    expect(first?.do === "write" && first.progress === "unchanged").toBe(isRemoved);
    if (isRemoved) expect(first).toMatchObject({ writes: [{ patch: expect.arrayContaining(patch) }] });
  });

  test("goes only when LINSTOR does not list the node any more", () => {
    expect(decide(unlisted)).toMatchObject({ do: "write", writes: [{ type: "json" }] });
    expect(JSON.stringify(decide(unlisted))).toContain(satelliteFinalizer);
    expect(decide(aLeaving({ data: empty }))?.do).not.toBe("write");
  });
});

test("one whose node LINSTOR may still register on an earlier call does not go yet", () => {
  const called = (ago: number) => {
    const annotation = JSON.stringify({ v: 1, uid: "u1", called: new Date(now - ago).toISOString(), calls: 1 });
    const annotations = { ...aSatellite().metadata.annotations, [registrationKey]: annotation };
    return { ...unlisted, satellite: aSatellite({ metadata: { annotations } }) };
  };
  // The last one: callers listen for 170 s, and this clock may be a minute ahead of theirs.
  for (const ago of [60_000, 240_000]) {
    const message = expect.stringMatching(/may still register the node .* until 20/);
    expect(decide(called(ago))).toMatchObject({ do: "write", step: { name: "waiting" }, message });
  }
  expect(JSON.stringify(decide(called(600_000)))).toContain(satelliteFinalizer);
});

test("one whose registration LINSTOR has refused goes at once, unless an earlier call may have its effect", () => {
  const refused = (calls: number) => {
    const called = new Date(now - 60_000).toISOString();
    const annotation = JSON.stringify({ v: 1, uid: "u1", called, calls, refused: true });
    const annotations = { ...aSatellite().metadata.annotations, [registrationKey]: annotation };
    return { ...unlisted, satellite: aSatellite({ metadata: { annotations } }) };
  };
  const decision = decide(refused(1));
  expect(JSON.stringify(decision?.do === "write" && decision.writes)).toContain(satelliteFinalizer);
  expect(decide(refused(2))).toMatchObject({ do: "write", step: { name: "waiting" } });
});

test("one whose Machine leaves waits for its Node to be deleted", () => {
  const seen = aLeaving(
    { data: empty, satellite: { deleting: false, held: true } },
    { machine: aMachine({ drain: false, terminate: false }) },
  );
  expect(decide(seen)).toMatchObject({ do: "write", step: { name: "waiting" } });
});

test("below the replica floor nothing is removed", () => {
  const data = dataFacts([aCopy("pvc-1", "node-2")], called);
  expect(decide(aLeaving({ data }))?.do).toBe("leave");
});
