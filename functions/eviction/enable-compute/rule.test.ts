import { expect, test } from "vitest";
import { Contended } from "../../../shared/contended.ts";
import { progressKey } from "../../../shared/progress.ts";
import { abandonKey, approvalKey, computeFinalizer, conditions, recordKey } from "../lib/names.ts";
import { aCompute, aHost, aMove, aNode, aPod, aRecord, aService, changesOf, now } from "../lib/testing/seen.ts";
import { enableCompute } from "./rule.ts";

const settings = enableCompute.settings.parse({});
const metadata = { annotations: { ...aRecord({ called: {} }), [approvalKey]: "true", [abandonKey]: "node-a" } };
const decide = (host = aHost(), compute: Parameters<typeof aCompute>[0] = {}) =>
  enableCompute.decide(
    [{ compute: aCompute({ metadata, pods: [aPod()], ...compute }), at: "seen", host }],
    now,
    settings,
  )[0];

test("what Holdfast has disabled is enabled when the pod is Ready and nova-compute up", () => {
  expect(decide()).toMatchObject({ do: "call", command: { input: { service: { id: "c1" } } } });
  expect(decide(aHost(), { pods: [aPod(false)] })).toMatchObject({ do: "write", step: { name: "waiting" } });
  expect(decide(aHost({ service: aService({ state: "down" }) }))).toMatchObject({
    do: "write",
    step: { name: "waiting" },
  });
});

test("what a person has disabled for another reason since the look is not enabled, nor let back", async () => {
  expect(await changesOf(decide(), aService({ reported: now + 1 }))).toEqual(["enable c1"]);
  for (const live of [aService({ disabledReason: "repair" }), aService({ isEnabled: true }), undefined])
    await expect(changesOf(decide(), live)).rejects.toThrow(Contended);
  const forced = aService({
    isForcedDown: true,
    disabledReason: `${aService().disabledReason}, and has forced it down`,
  });
  expect(await changesOf(decide(aHost({ service: forced })), forced)).toEqual(["endForcedDown c1"]);
  for (const live of [
    { ...forced, disabledReason: "repair" },
    { ...forced, isForcedDown: false },
  ])
    await expect(changesOf(decide(aHost({ service: forced })), live)).rejects.toThrow(Contended);
});

test("what was disabled for a former resource of the name is ours, what others have disabled is not", () => {
  const reason = (disabledReason: string | undefined) => decide(aHost({ service: aService({ disabledReason }) }))?.do;
  expect(reason("Holdfast evicts NovaComputeNode yaook/node-a (u0)")).toBe("call");
  for (const theirs of [undefined, "repair", "Holdfast evicts NovaComputeNode yaook/node-ab (u1)"])
    expect(reason(theirs)).toBe("write");
});

test("open moves are waited for, a cold one is confirmed, and then record, agreement and abandon-compute go", () => {
  const service = aService({ isEnabled: true, disabledReason: undefined });
  expect(decide(aHost({ service, migrations: [aMove()] }))).toMatchObject({ command: { input: { server: "s1" } } });
  const running = aMove({ status: "running", type: "live-migration" });
  expect(decide(aHost({ service, migrations: [running] }))).toMatchObject({ step: { name: "waiting" } });
  expect(decide(aHost({ service, migrations: [aMove({ id: 9 })] }))).not.toHaveProperty("command");
  const move = aMove();
  const silent = decide(aHost({ service, migrations: [move], silent: [move.target ?? ""] }));
  expect(silent).toMatchObject({
    step: { name: "waiting" },
    message: expect.stringMatching(`Server s1: .*Start ${move.target}`),
  });
  const over = JSON.stringify(decide(aHost({ service })));
  for (const key of [recordKey, approvalKey, abandonKey]) expect(over).toContain(`"${key}":null`);
});

test("nova-compute that has registered in Nova again serves, but not while the former one may be evacuated", () => {
  const host = aHost({ service: aService({ isEnabled: true, disabledReason: undefined }) });
  const forced = { isEnabled: true, disabledReason: undefined, isForcedDown: true };
  expect(decide(aHost({ service: aService(forced) }))?.message).toContain("forced down, but not by Holdfast");
  const begunWith = (more: object) => decide(host, { metadata: { annotations: aRecord({ service: "c0", ...more }) } });
  expect(begunWith({})?.message).toBe("nova-compute serves.");
  const hard = begunWith({ hard: new Date(now - 3_600_000).toISOString() });
  expect(hard).toMatchObject({ step: { name: "other" }, message: expect.stringContaining("Nova now has c1 there") });
});

test("when the host is to stay, no server is said to need a person any more", () => {
  const status = { conditions: [{ type: conditions.serversStuck, status: "True", reason: "NeedPerson" }] };
  const service = aService({ isEnabled: true, disabledReason: undefined });
  expect(JSON.stringify(decide(aHost({ service }), { status }))).toContain("No server waits for a person.");
  expect(JSON.stringify(decide(aHost({ service })))).not.toContain(conditions.serversStuck);
});

test("a compute node that serves triggers no look at OpenStack", () => {
  const status = { conditions: [{ type: conditions.enabled, status: "True" }] };
  const object = { ...aCompute().object, status };
  const hint = { id: "e", change: "update" as const, apiVersion: object.apiVersion, kind: object.kind };
  const event = { ...hint, namespace: "yaook", name: "node-a", object };
  expect(enableCompute.subjects(event, settings)).toEqual([]);
  // Left on, it would count at the next eviction, were Nova to know nothing of the host for a moment.
  const given = { ...object, metadata: { ...object.metadata, annotations: { [abandonKey]: "node-a" } } };
  expect(enableCompute.subjects({ ...event, object: given }, settings)).toHaveLength(1);
});

const serving = aHost({ service: aService({ isEnabled: true, disabledReason: undefined }) });
const written = (step: string, next: number) => ({
  [progressKey("eviction/enable-compute")]: JSON.stringify({
    ...{ v: 1, uid: "u1", step, since: new Date(now).toISOString(), because: "" },
    next: new Date(next).toISOString(),
  }),
});

test("a host whose eviction has ended is looked at once more after ten minutes, because a call may come late", () => {
  const later = (annotations: Record<string, string>) => decide(serving, { metadata: { annotations } });
  const tenMinutes = { step: { name: "settling" }, next: now + 600_000 };
  for (const begun of [aRecord(), written("called", now), written("away", now)])
    expect(later(begun)).toMatchObject(tenMinutes);
  expect(later(written("settling", now + 1000))).toMatchObject({ next: now + 1000 });
  for (const over of [{}, written("settling", now)]) expect(later(over)).not.toHaveProperty("step");
  const annotations = written("settling", now);
  expect(decide(aHost(), { metadata: { annotations } })).toMatchObject({
    command: { input: { service: { id: "c1" } } },
  });
});

test("keep-pod explains a missing pod, except on a host that Holdfast has forced down or is to go", () => {
  const shown = (decision: ReturnType<typeof decide>) => JSON.stringify(decision?.do === "write" && decision.writes);
  expect(shown(decide(aHost(), { pods: [aPod(false)] }))).toContain(`"${conditions.converged}"`);
  expect(shown(decide(aHost(), { pods: [] }))).not.toContain(`"${conditions.converged}"`);
  expect(shown(decide(aHost(), { pods: [], wanted: "go" }))).toContain(`"${conditions.converged}"`);
  const annotations = aRecord({ hard: "2026-01-01T00:00:00Z" });
  const waiting = shown(decide(aHost(), { pods: [], metadata: { annotations } }));
  for (const part of [`"${conditions.converged}"`, "when its pod is Ready", "of the Node is absent"])
    expect(waiting).toContain(part);
  // The record goes, and what is true without it is keep-pod's to say.
  const over = shown(decide(serving, { pods: [], metadata: { annotations } }));
  expect([over.includes(`"${recordKey}":null`), over.includes(conditions.converged)]).toEqual([true, false]);
  const others = aHost({ service: aService({ isForcedDown: true, disabledReason: "repair" }) });
  expect(shown(decide(others, { pods: [], metadata: {} }))).not.toContain(`"${conditions.converged}"`);
});

test.each([
  ["Holdfast", {}, "Holdfast creates its pod on the Node."],
  [
    "another operator",
    { template: undefined, selector: { matchLabels: {}, schedulingLabel: { key: "k", value: "v" } } },
    "Another operator creates its pod on the Node",
  ],
])("nova-compute does not serve before %s has created its pod, and is looked at again until then", (_, spec, says) => {
  for (const [annotations, host] of [
    [aRecord(), serving],
    [{}, serving],
    [{}, undefined],
  ] as const) {
    const node = aNode("False", "NovaComputeNode");
    const compute = aCompute({ metadata: { annotations, finalizers: [computeFinalizer] }, spec, node });
    const decision = enableCompute.decide([{ compute, at: "seen", host }], now, settings)[0];
    expect(decision).toMatchObject({ do: "write", step: { name: "waiting" }, next: now + 20_000 });
    const text = JSON.stringify(decision);
    expect([text.includes(says), text.includes('"Success"'), text.includes(`"${recordKey}":null`)]).toEqual([
      true,
      false,
      false,
    ]);
  }
});

test("of a host that was forced down and that Nova no longer knows, one condition says why it has no pod", () => {
  const compute = aCompute({ metadata: { annotations: aRecord({ hard: new Date(now).toISOString() }) } });
  const decision = enableCompute.decide([{ compute, at: "seen", host: undefined }], now, settings)[0];
  expect(decision).toMatchObject({ do: "write", step: { name: "waiting" } });
  const text = JSON.stringify(decision);
  for (const part of [conditions.converged, '"Dependency"', "Nova no longer knows nova-compute of node-a"])
    expect(text).toContain(part);
  // Following that advice: the eviction of a resource that goes needs an agreement again.
  const going = aCompute({ ...compute, wanted: "go", isApproved: false });
  const asks = enableCompute.decide([{ compute: going, at: "seen", host: undefined }], now, settings)[0];
  expect(JSON.stringify(asks)).toContain("the eviction goes on when you agree");
});

test("of a NovaComputeNode that goes no pod is waited for, and without the agreement the record goes", () => {
  const finalizers = [computeFinalizer];
  const node = aNode("False", "NovaComputeNode");
  const compute = aCompute({ metadata: { annotations: aRecord(), finalizers }, node, wanted: "go", isApproved: false });
  const host = aHost({ service: aService({ isEnabled: true, disabledReason: undefined }) });
  const decision = enableCompute.decide([{ compute, at: "seen", host }], now, settings)[0];
  expect(decision).toMatchObject({ do: "write", step: { name: "settling" } });
  expect(JSON.stringify(decision)).toContain(`"${recordKey}":null`);
});

test("a call to force nova-compute down after Nova has refused one is waited for, because none was noted", () => {
  const hard = new Date(now - 86_400_000).toISOString();
  const annotations = (record: object) => ({ ...aRecord(record), [approvalKey]: "true" });
  const asked = decide(serving, { metadata: { annotations: annotations({ hard, refused: hard }) } });
  const [write] = asked?.do === "write" ? asked.writes : [];
  const text = write?.verb === "patch" ? JSON.stringify(write.patch) : "";
  const last = new Date(now).toISOString();
  expect([text.includes(last), text.includes("refused")]).toEqual([true, false]);
  expect(decide(serving, { metadata: { annotations: annotations({ hard: last }) } })).toMatchObject({
    do: "write",
    step: { name: "waiting" },
  });
});

test("what an eviction has left is watched while a person is asked to agree, and only that is said", () => {
  const asked = (next: number, host = serving) => {
    const compute = aCompute({
      wanted: "go",
      isApproved: false,
      pods: [aPod()],
      metadata: { annotations: written("settling", next) },
    });
    return enableCompute.decide([{ compute, isAsked: true, at: "seen", host }], now, settings)[0];
  };
  expect(asked(now + 1000)).toMatchObject({ do: "write", progress: "unchanged" });
  for (const gone of ["progress", "step"]) expect(asked(now)).not.toHaveProperty(gone);
  expect(asked(now, aHost())).toMatchObject({ do: "call", step: { name: "settling" }, next: now + 20_000 });
  expect(asked(now + 60_000, aHost())).toMatchObject({ do: "call", step: { name: "settling" }, next: now + 60_000 });
  expect(JSON.stringify([asked(now), asked(now, aHost())])).not.toContain(`"${conditions.converged}"`);
  const compute = aCompute({ wanted: "go", isApproved: false, metadata: { annotations: written("settling", now) } });
  const away = { system: "OpenStack", message: "Nova does not answer." };
  expect(enableCompute.decide([{ compute, isAsked: true, at: "away", away }], now, settings)[0]).toMatchObject({
    ...{ do: "write", writes: [], progress: "unchanged" },
  });
});
