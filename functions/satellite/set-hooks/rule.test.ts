import { expect, test } from "vitest";
import { Node } from "../../../shared/kubernetes/kind.ts";
import { LinstorSatellite, Machine } from "../lib/kinds.ts";
import { machineKey, preDrainHook, preTerminateHook } from "../lib/machine.ts";
import { isGoing } from "../lib/record.ts";
import { satellitesIn } from "../lib/subjects.ts";
import { aMachine, aSatellite, aSeen, hintOf, now } from "../lib/testing/seen.ts";
import { setHooks } from "./rule.ts";

const settings = setHooks.settings.parse({});
const bare = aMachine({ drain: false, terminate: false, deleting: false });
const alive = aSatellite({ deleting: false, record: false });
const decide = (seen: Parameters<typeof setHooks.decide>[0]) => setHooks.decide(seen, now, settings)[0];
const text = (seen: Parameters<typeof setHooks.decide>[0]) => JSON.stringify(decide(seen));

test("writes down which Machine it is before it sets both hooks", () => {
  const decision = decide(aSeen({ satellite: alive, machine: bare, leaving: false }));
  const [first, second] = decision?.do === "write" ? decision.writes : [];
  expect(JSON.stringify(first)).toContain(machineKey);
  expect(second).toHaveProperty("patch.metadata.annotations", { [preDrainHook]: "", [preTerminateHook]: "" });
});

test.each([
  [
    "the policy is Retain",
    { satellite: aSatellite({ policy: "Retain", deleting: false }), machine: aMachine({ deleting: false }) },
    ":null",
  ],
  ["the whole cluster is deleted", { satellite: alive, machine: { ...aMachine(), clusterDeleting: true } }, ":null"],
])("takes both hooks off when %s", (_, more, expected) =>
  expect(text(aSeen(more))).toContain(`"${preDrainHook}"${expected},"${preTerminateHook}"${expected}`),
);

test("that the Machine carries no hook is noted after their removal, and taken back before they are set", () => {
  const identity = { namespace: "capi", name: "worker" };
  const noted = (more: object, policy = "Retain") =>
    aSatellite({
      policy,
      record: false,
      deleting: false,
      metadata: { annotations: { [machineKey]: JSON.stringify({ ...identity, ...more }) } },
    });
  const writesOf = (satellite: ReturnType<typeof noted>, machine: typeof bare) => {
    const decision = decide(aSeen({ satellite, machine, identity, leaving: false }));
    return decision?.do === "write" ? decision.writes.map((write) => JSON.stringify(write)) : [];
  };
  const [removal, note, ...rest] = writesOf(noted({}), aMachine({ deleting: false }));
  expect([removal, note, rest]).toEqual([
    expect.stringContaining(`"${preDrainHook}":null`),
    expect.stringContaining("hooks"),
    [],
  ]);
  expect(writesOf(noted({ hooks: "none" }), bare)).toEqual([]);
  const [taken, set] = writesOf(noted({ hooks: "none" }, "Evacuate"), bare);
  expect(taken).not.toContain("none");
  expect(set).toContain(`"${preDrainHook}":""`);
});

test("writes down that the Machine is being deleted, which mark then hears of, and once", () => {
  const machine = aMachine({ drain: true, terminate: true, deleting: true });
  const identity = { namespace: "capi", name: machine.object.metadata.name };
  const known = (more: object) =>
    aSatellite({
      record: false,
      deleting: false,
      metadata: { annotations: { [machineKey]: JSON.stringify({ ...identity, ...more }) } },
    });
  const first = decide(aSeen({ satellite: known({}), machine, identity }));
  const patch = { metadata: { annotations: { [machineKey]: JSON.stringify({ ...identity, deleting: true }) } } };
  expect(first).toMatchObject({ do: "write", writes: [{ patch }] });
  expect(decide(aSeen({ satellite: known({ deleting: true }), machine, identity }))?.do).toBe("leave");
  const mark = (more: object) =>
    satellitesIn(hintOf(LinstorSatellite, "update", known(more)), "satellite/mark", isGoing);
  expect(mark({})).toEqual([]);
  expect(mark({ deleting: true })).toEqual([{ kind: LinstorSatellite, name: "node-1" }]);
});

const unbegun = aSatellite({ record: false });
const ofCluster = { ...unbegun, spec: { ...unbegun.spec, clusterRef: { name: "gone" } } };
test.each([
  ["an evacuation has begun", { satellite: aSatellite({ deleting: false }), machine: bare }],
  ["its LinstorCluster is gone", { satellite: ofCluster, machine: bare }],
  ["the Node has no Machine", { satellite: alive }],
  [
    "piraeus-operator has the satellite",
    { satellite: alive, machine: bare, unmanagedReason: "Another operator has it." },
  ],
])("puts no hook there when %s", (_, more) => expect(text(aSeen(more))).not.toContain(preDrainHook));

test("a satellite that is being deleted gets its hooks until its evacuation begins", () => {
  expect(text(aSeen({ satellite: unbegun, machine: bare }))).toContain(`"${preDrainHook}":""`);
  const decision = decide(aSeen({ satellite: unbegun, machine: bare }));
  const [precondition] = (decision?.do === "write" && decision.preconditions) || [];
  expect([unbegun, aSatellite()].map((live) => precondition?.holds(live))).toEqual([true, false]);
});

test("says that it is too late when the server is already going", () => {
  const { object } = aMachine({ drain: false, terminate: false });
  const status = { conditions: [{ type: "Deleting", reason: "WaitingForInfrastructureDeletion" }] };
  const machine = { ...bare, object: { ...object, status } };
  expect(decide(aSeen({ satellite: alive, machine }))).toMatchObject({ step: { name: "late" } });
  const deleting = { ...bare, object };
  expect(decide({ ...aSeen({ satellite: alive, machine: deleting }), isServerGoing: true })).toMatchObject({
    step: { name: "late" },
  });
  expect(text({ ...aSeen({ satellite: alive, machine: deleting }), isServerGoing: false })).toContain(preDrainHook);
});

test("notes that the server goes although the Machine waits, and keeps the note while that cannot be read", () => {
  const identity = { namespace: "capi", name: "worker" };
  const known = (more: object) => {
    const annotations = { [machineKey]: JSON.stringify({ ...identity, deleting: true, ...more }) };
    return aSeen({
      satellite: aSatellite({ record: false, deleting: false, metadata: { annotations } }),
      machine: aMachine(),
    });
  };
  const going = { server: "going" };
  const note = JSON.stringify({ ...identity, deleting: true, ...going });
  const writes = [{ patch: { metadata: { annotations: { [machineKey]: note } } } }];
  expect(decide({ ...known({}), isServerGoing: true })).toMatchObject({ do: "write", writes });
  for (const isServerGoing of [undefined, true])
    expect(decide({ ...known(going), isServerGoing })).toMatchObject({ do: "leave" });
});

test("hooks that are set while the policy becomes another one are looked at once more", () => {
  const decision = decide(aSeen({ satellite: alive, machine: bare, leaving: false }));
  const [precondition] = (decision?.do === "write" && decision.preconditions) || [];
  expect(precondition).toMatchObject({ kind: LinstorSatellite, name: "node-1" });
  expect(precondition?.holds(alive)).toBe(true);
  expect(precondition?.holds(aSatellite({ policy: "Retain", deleting: false }))).toBe(false);
});

test("warns early of a Node whose name does not fit", () => {
  const satellite = aSatellite({ deleting: false, record: false, metadata: { name: "n".repeat(64) } });
  expect(decide(aSeen({ satellite, leaving: false }))).toMatchObject({ step: { name: "unnamable" } });
});

const plainNode = { apiVersion: "v1", kind: "Node", metadata: { name: "node-1", uid: "n1", resourceVersion: "1" } };
test.each([
  ["any satellite", hintOf(LinstorSatellite, "update", alive), ["node-1"]],
  ["a Machine with a Node", hintOf(Machine, "update", bare.object), ["node-1"]],
  ["a Node without a Machine", hintOf(Node, "add", plainNode), []],
])("an event about %s", (_, hint, names) =>
  expect(setHooks.subjects(hint, settings).map(({ name }) => name)).toEqual(names),
);
