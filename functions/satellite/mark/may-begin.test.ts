import { expect, test } from "vitest";
import { machineKey } from "../lib/machine.ts";
import { recordKey } from "../lib/record.ts";
import { aNode, dataFacts } from "../lib/testing/data.ts";
import { aLeaving, aMachine, aSatellite, now, unlisted } from "../lib/testing/seen.ts";
import { approvalKey, contendersWith, isInProgress } from "./may-begin.ts";
import { mark } from "./rule.ts";

const settings = mark.settings.parse({});
const asks = { evacuationApproval: "annotation" } as const;
const other = (node: string, more: Parameters<typeof aSatellite>[0] = {}) =>
  aSatellite({ record: false, deleting: false, ...more, metadata: { name: node, uid: `u-${node}` } });
const earlier = "2026-01-01T00:00:59Z";
const said = (value: string) => ({ metadata: { annotations: { [approvalKey]: value } } });

/** What is decided about node-1, which has not begun, beside these satellites. */
function decide(
  more: Partial<typeof settings>,
  {
    satellite = aSatellite({ record: false }),
    others = [],
    groups = {},
    ...facts
  }: {
    satellite?: ReturnType<typeof aSatellite>;
    others?: readonly ReturnType<typeof aSatellite>[];
    groups?: Readonly<Record<string, string>>;
    data?: ReturnType<typeof dataFacts>;
  } = {},
) {
  const around = { satellites: [satellite, ...others], groups: new Map(Object.entries(groups)) };
  const read = { lease: undefined, namespace: "holdfast", ...around, settings: { ...settings, ...more } };
  return mark.decide({ seen: [aLeaving(facts, { satellite })], ...read }, now, settings)[0];
}
const stepOf = (...given: Parameters<typeof decide>) => {
  const decision = decide(...given);
  return decision && "step" in decision ? decision.step?.name : undefined;
};

test.each<[string, Partial<typeof settings>, string | undefined, string]>([
  ["no one has to agree", {}, undefined, "acting"],
  ["no one has to agree, and a person holds it", {}, "false", "waiting"],
  ["a person has to agree", asks, undefined, "waiting"],
  ["a person has to agree, and does", asks, "true", "acting"],
  ["each needs an agreement, because none may be out", { evacuationMaxUnavailable: "0" }, undefined, "waiting"],
  ["none may be out, and a person agrees", { evacuationMaxUnavailable: "0" }, "true", "acting"],
])("whether it begins where %s", (_, more, value, step) => {
  const satellite = aSatellite({ record: false, ...(value === undefined ? {} : said(value)) });
  expect(stepOf(more, { satellite })).toBe(step);
});

test("a person is asked by a command, and no time is set to look again", () => {
  const decision = decide(asks);
  expect(decision?.message).toBe(
    "It is being deleted: its evacuation begins when a person agrees. Run `kubectl annotate linstorsatellite node-1 " +
      "--overwrite holdfast.dev/approve-evacuation=true`",
  );
  expect(decision).not.toHaveProperty("next");
  const satellite = aSatellite({ record: false, deleting: false });
  expect(decide(asks, { satellite })?.message).toMatch(/^Its Machine is being deleted: its evacuation begins when/);
});

test("it waits for no person where nothing is to be moved, or nothing can hold its server any more", () => {
  const satellite = aSatellite({ record: false });
  const around = { lease: undefined, namespace: "holdfast", satellites: [satellite], groups: new Map() };
  const seen = aLeaving({}, { satellite });
  const facts = unlisted(seen.facts);
  const read = { ...around, settings: { ...settings, ...asks } };
  expect(mark.decide({ seen: [{ ...seen, facts }], ...read }, now, settings)).toMatchObject([
    { step: { name: "acting" } },
  ]);
  const text = JSON.stringify({ namespace: "capi", name: "worker", deleting: true, hooks: "none" });
  const late = aSatellite({ record: false, metadata: { annotations: { [machineKey]: text } } });
  const gone = aLeaving({}, { satellite: late, machine: aMachine({ drain: false, terminate: false }) });
  expect(mark.decide({ seen: [gone], ...read }, now, settings)).toMatchObject([{ step: { name: "acting" } }]);
});

test("the record says which evacuation was completed before it begins", () => {
  const completed = { type: "SatelliteEvacuated", status: "True", reason: "Completed", message: "It is." };
  const status = { conditions: [{ ...completed, lastTransitionTime: earlier }] as never };
  const decision = decide({}, { satellite: { ...aSatellite({ record: false }), status } });
  const [begins] = (decision?.do === "write" && decision.writes) || [];
  const annotations = { [recordKey]: expect.stringContaining(`"former":"${earlier}"`) };
  expect(begins).toMatchObject({ patch: { metadata: { annotations } } });
});

test("it waits for a window, and says when one opens", () => {
  const opens = "2026-01-01T22:00:00.000Z";
  const decision = decide({ evacuationWindow: "0 22 * * *", evacuationWindowLength: "1h" });
  expect(decision).toMatchObject({ step: { name: "waiting" }, next: Date.parse(opens) });
  expect(decision?.message).toContain(opens);
});

const one = { evacuationMaxUnavailable: "1" };
const offline = dataFacts([], { nodes: [aNode("node-1"), aNode("node-2", { connection: "OFFLINE" })] });
test.each<[string, Parameters<typeof decide>[1], string]>([
  ["the others serve", { others: [other("node-2")] }, "acting"],
  ["another one is evacuated", { others: [other("node-2", { record: { uid: "u-node-2" } })] }, "waiting"],
  ["another one is OFFLINE in LINSTOR", { others: [other("node-2")], data: offline }, "waiting"],
  ["LINSTOR does not list another one", { others: [other("node-9")] }, "waiting"],
  [
    "another one of another group is",
    { others: [other("node-9")], groups: { "node-1": "a", "node-9": "b" } },
    "acting",
  ],
  ["another one is, and its Node is gone", { others: [other("node-9")], groups: { "node-1": "a" } }, "waiting"],
])("under a budget of one, where %s", (_, given, step) => expect(stepOf(one, given)).toBe(step));

test("under a budget, who begins has the Lease, and who waits says who is out", () => {
  const free = decide(one, { others: [other("node-2")] });
  expect(free).toHaveProperty("writes.0.kind.kind", "Lease");
  expect(decide({})).not.toHaveProperty("writes.0.kind.kind", "Lease");
  expect(decide(one, { others: [other("node-9")] })?.message).toBe(
    "It waits. Of the 2 satellites, at most 1 may be out at the same time. Out now: node-9.",
  );
});

const own = aSatellite({ record: false });
const another = (annotations: object, conditions: readonly object[] = []) => ({
  ...aSatellite({ metadata: { name: "node-2", uid: "u2", annotations } }),
  status: { conditions: conditions as never },
});

test.each([
  ["in progress", { status: "False", reason: "InProgress" }, true],
  ["completed", { status: "True", reason: "Completed" }, false],
  ["completed by a clock that is behind", { status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }, false],
  ["completed before it began, once more", { status: "True", lastTransitionTime: earlier }, true],
  ["completed by its other name alone", { type: "EvacuationCompleted", status: "True" }, true],
])("an evacuation that is %s has a slot, or has none any more", (_, more, has) => {
  const record = JSON.stringify({ v: 1, uid: "u2", begun: "2026-01-01T00:01:00.500Z", former: earlier });
  const condition = { type: "SatelliteEvacuated", lastTransitionTime: "2026-01-01T00:05:00Z", ...more };
  const other = another({ [recordKey]: record }, [condition]);
  expect(isInProgress(other)).toBe(has);
  const expected = [{ name: "node-1" }, ...(has ? [{ name: "node-2", inProgress: true }] : [])];
  expect(contendersWith("node-1", [own, other])).toMatchObject(expected);
});

test.each([
  ["queued", [{ name: "node-1" }, { name: "node-2", inProgress: false }]],
  ["waiting", [{ name: "node-1" }]],
  ["stuck", [{ name: "node-1" }]],
])("one that has not begun, and is %s, waits for a slot or keeps no other from it", (step, contenders) => {
  const progress = { v: 1, uid: "u2", step, since: "2026-01-01T00:00:00Z", because: "It waits." };
  const other = another({ "holdfast.dev/satellite.mark": JSON.stringify(progress) });
  expect(contendersWith("node-1", [own, other])).toMatchObject(contenders);
});
