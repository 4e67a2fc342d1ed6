import { describe, expect, test } from "vitest";
import { restorationKey, restorationPending } from "../lib/noted-calls.ts";
import { recordKey } from "../lib/record.ts";
import { aNode } from "../lib/testing/data.ts";
import { aMachine, aSatellite, aSeen, now } from "../lib/testing/seen.ts";
import { type Facts, restore } from "./rule.ts";

const settings = restore.settings.parse({});
const node = { apiVersion: "v1", kind: "Node", metadata: { name: "node-1", uid: "n1", resourceVersion: "1" } };
const staying = { satellite: aSatellite({ deleting: false }), leaving: false, node };
const seen = (more: Partial<Exclude<Facts, undefined>> = {}): Facts => ({
  ...aSeen(staying),
  linstor: aNode("node-1", { flags: ["EVACUATE"] }),
  isUnlisted: false,
  isLeft: false,
  ...more,
});
const decide = (facts: Facts) => restore.decide(facts, now, settings)[0];
const identity = { namespace: "capi", name: "worker" };

test.each([
  ["EVACUATE", seen()],
  ["EVICTED", seen({ linstor: aNode("node-1", { flags: ["DELETE", "EVICTED"] }) })],
])("takes %s back when nothing leaves", (_, facts) =>
  expect(decide(facts)).toMatchObject({ do: "call", command: { name: "restore a node", input: { node: "node-1" } } }),
);

describe("a Node that its Machine has left behind", () => {
  test("is restored where its satellite runs, and its evacuation forgotten after that", () => {
    expect(decide(seen({ identity, isLeft: true }))).toMatchObject({ do: "call" });
    expect(decide(seen({ identity, isLeft: true, linstor: aNode("node-1") }))?.do).toBe("write");
  });

  test("is for a person to delete where none runs", () => {
    const linstor = aNode("node-1", { flags: ["EVACUATE"], connection: "OFFLINE" });
    expect(decide(seen({ identity, isLeft: true, linstor }))).toMatchObject({
      do: "write",
      writes: [],
      step: { name: "left" },
      message: expect.stringContaining("delete the Node"),
    });
  });
});

test.each([
  ["the satellite is being deleted", { satellite: aSatellite(), leaving: true }],
  ["its Machine is being deleted", { machine: aMachine(), identity }],
  ["its Machine is gone", { identity }],
  ["its Node is gone", { node: undefined }],
  ["piraeus-operator has it", { unmanagedReason: "Another operator has it." }],
])("not when %s", (_, more) => expect(decide(seen(more))?.do).toBe("leave"));

test("waits for the satellite where the node is offline", () => {
  const more = { linstor: aNode("node-1", { flags: ["EVACUATE"], connection: "OFFLINE" }) };
  expect(decide(seen(more))).toMatchObject({ do: "wait", step: { name: "offline" } });
});

test("forgets the evacuation once LINSTOR has taken it back", () => {
  const decision = decide(seen({ linstor: aNode("node-1") }));
  expect(decision?.do === "write" && decision.writes.at(-1)).toHaveProperty("patch.metadata.annotations", {
    [recordKey]: null,
  });
  expect(decide(seen({ linstor: aNode("node-1"), record: undefined }))?.do).toBe("leave");
});

test("forgets the evacuation of a node that LINSTOR does not list any more", () => {
  expect(decide(seen({ linstor: undefined, isUnlisted: true }))).toMatchObject({ do: "write" });
  // One that is listed, and not this satellite's, is for a person.
  expect(decide(seen({ linstor: undefined }))?.do).toBe("leave");
});

test("takes nothing back in another LINSTOR than it was in, and keeps what is written down", () => {
  const moved = "It was elsewhere.";
  const decision = decide(seen({ linstor: undefined, moved }));
  expect(decision).toMatchObject({ do: "write", step: { name: "stuck" }, message: moved });
  expect(JSON.stringify(decision?.do === "write" && decision.writes)).not.toContain(recordKey);
  // Without a record it is registered there.
  expect(decide(seen({ linstor: undefined, moved, record: undefined }))?.do).toBe("leave");
});

test("calls the LINSTOR that it has looked at", () =>
  expect(decide(seen({ controller: "http://other" }))).toMatchObject({ command: { input: { at: "http://other" } } }));

describe("a call to restore a node", () => {
  const noteOf = (ago: number, more: object = {}) =>
    JSON.stringify({ v: 1, uid: "u1", called: new Date(now - ago).toISOString(), calls: 1, ...more });
  const satelliteWith = (note: string) => {
    const annotations = { ...aSatellite().metadata.annotations, [restorationKey]: note };
    return aSatellite({ deleting: false, metadata: { annotations } });
  };
  const decideWith = (note: string, linstor = aNode("node-1", { flags: ["EVACUATE"] })) =>
    decide(seen({ satellite: satelliteWith(note), linstor }));

  test("is noted before it is made, and the note says when LINSTOR has answered", () => {
    const decision = decide(seen());
    const [before] = decision?.do === "call" ? (decision.writes ?? []) : [];
    const { annotations } = (before as { patch: { metadata: { annotations: Record<string, string> } } }).patch.metadata;
    const text = annotations[restorationKey] ?? "";
    expect(JSON.parse(text)).toMatchObject({ uid: "u1", called: new Date(now).toISOString() });
    const satellite = aSatellite({ metadata: { annotations } });
    expect(restorationPending(satellite, now + 599_999)?.message).toContain(
      "may take effect until 2026-01-01T00:10:00",
    );
    expect(restorationPending(satellite, now + 600_000)).toBeUndefined();
    const path = "/metadata/annotations/holdfast.dev~1restoration";
    const of = { op: "test", path, value: text };
    expect(decision).toHaveProperty("unsent.patch", [expect.anything(), of, { op: "remove", path }]);
    expect(decision).toHaveProperty("answered.patch.2.value", JSON.stringify({ ...JSON.parse(text), answered: true }));
  });

  test("is repeated only after a pause, because its note comes back as an event", () => {
    expect(decideWith(noteOf(9_999))).toMatchObject({ do: "wait", step: { name: "restoring" } });
    expect(decideWith(noteOf(10_000))?.do).toBe("call");
  });

  test.each<[string, string, boolean]>([
    ["has been answered", noteOf(60_000, { answered: true }), true],
    ["may still take effect", noteOf(60_000), false],
    ["has no effect any more", noteOf(600_000), true],
  ])("that %s: its note goes with the evacuation: %s", (_, note, isForgotten) => {
    const decision = decideWith(note, aNode("node-1"));
    const annotations = { [recordKey]: null, ...(isForgotten ? { [restorationKey]: null } : {}) };
    expect(decision?.do === "write" && decision.writes.at(-1)).toHaveProperty(
      "patch.metadata.annotations",
      annotations,
    );
    const unrecorded = decide(seen({ satellite: satelliteWith(note), record: undefined, linstor: aNode("node-1") }));
    expect(unrecorded?.do).toBe(isForgotten ? "write" : "leave");
  });
});
