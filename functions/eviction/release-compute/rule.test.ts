import { expect, test } from "vitest";
import { progressKey } from "../../../shared/progress.ts";
import { computeFinalizer } from "../lib/names.ts";
import type { Sharer } from "../lib/release.ts";
import { aHost, aLeaving, aMove, aNode, aPod, aRecord, aServer, now } from "../lib/testing/seen.ts";
import { releaseCompute } from "./rule.ts";

const settings = releaseCompute.settings.parse({});
const annotations = aRecord({ empty: new Date(now - 60_000).toISOString() });
const going = { annotations, finalizers: [computeFinalizer], deletionTimestamp: "2026-01-01T11:00:00Z" };
const decide = (seen: ReturnType<typeof aLeaving>, sharer: Sharer | undefined = undefined) =>
  releaseCompute.decide({ seen: [seen], sharer }, now, settings)[0];
const locked = aNode("False", "NovaComputeNode");
const writesOf = (decision: ReturnType<typeof decide>) =>
  JSON.stringify(decision && "writes" in decision && decision.writes);

test("the pod goes first, then the lock, and the finalizer last", () => {
  const pods = [aPod()];
  const first = decide(aLeaving(aHost(), { metadata: going, node: locked, pods }));
  expect(writesOf(first)).toContain('"verb":"delete"');
  expect(writesOf(first)).not.toMatch(/l2-lock|finalizers/);
  const leaving = aPod(false, { deletionTimestamp: "2026-01-01T11:59:00Z" });
  expect(writesOf(decide(aLeaving(aHost(), { metadata: going, node: locked, pods: [leaving] })))).not.toMatch(
    /"verb":"delete"|l2-lock|finalizers/,
  );
  const second = decide(aLeaving(aHost(), { metadata: going, node: locked }));
  expect(writesOf(second)).toMatch(/l2-lock[^"]*":null/);
  expect(writesOf(second)).not.toContain("finalizers");
  expect(writesOf(decide(aLeaving(aHost(), { metadata: going, node: aNode("False") })))).toContain(
    "/metadata/finalizers/0",
  );
  expect(writesOf(decide(aLeaving(aHost(), { metadata: going, node: undefined })))).toContain("/metadata/finalizers/0");
});

test.each([
  [true, "shared"],
  [false, "waiting"],
])(
  "a lock that another resource shares stays; where neither goes by itself (%s), a person is called",
  (isStuck, name) => {
    const message = "Another one has it.";
    const sharer = { message, takesOver: false, isStuck };
    const waiting = decide(aLeaving(aHost(), { metadata: going, node: locked, wanted: "go" }), sharer);
    expect(waiting).toMatchObject({ message, step: { name }, next: now + 20_000 });
    expect(writesOf(waiting)).not.toMatch(/l2-lock|finalizers/);
  },
);

test("a resource that is being deleted leaves its lock to another one that takes it off later", () => {
  const released = decide(aLeaving(aHost(), { metadata: going, node: locked }), {
    message: "",
    takesOver: true,
    isStuck: false,
  });
  expect(writesOf(released)).toContain("/metadata/finalizers/0");
  expect(writesOf(released)).not.toContain("l2-lock");
});

test.each([
  ["a server is on the host", aHost({ servers: [aServer()] })],
  ["a move away from it is open", aHost({ migrations: [aMove({ status: "running" })] })],
  ["a cold move is not confirmed", aHost({ migrations: [aMove()] })],
  ["a server is on its way to it", aHost({ arrivals: [aMove({ status: "running", source: "b", target: "node-a" })] })],
])("nothing goes while %s", (_, host) => {
  for (const pods of [[aPod()], []])
    expect(decide(aLeaving(host, { metadata: going, node: locked, pods }))?.do).toBe("leave");
});

test("a resource that is cleared is looked at for ten minutes, and then is at rest", () => {
  const at = (ago: number) => {
    const metadata = { annotations: aRecord({ empty: new Date(now - ago).toISOString() }) };
    return decide(aLeaving(aHost(), { metadata, node: locked, wanted: "clear", pods: [aPod()] }));
  };
  // A server that was on its way may come late, and no event is sent for it.
  expect(at(9 * 60_000)).toMatchObject({ next: now + 20_000 });
  expect(at(11 * 60_000)).toMatchObject({ do: "write" });
  expect(at(11 * 60_000)).not.toHaveProperty("next");
});

test("a resource that is cleared is not at rest while it still says that OpenStack is away", () => {
  const away = { v: 1, uid: "u1", step: "away", since: new Date(now).toISOString(), because: "It waits." };
  const metadata = {
    annotations: {
      ...aRecord({ empty: new Date(now - 11 * 60_000).toISOString() }),
      [progressKey("eviction/disable-compute")]: JSON.stringify(away),
    },
  };
  const seen = aLeaving(aHost(), { metadata, node: locked, wanted: "clear", pods: [aPod()] });
  // What it says is disable-compute's to take back; that event may be lost.
  expect(decide(seen)).toMatchObject({ writes: [], next: now + 20_000 });
});

test("a resource that stays keeps its finalizer when the L2 agent goes, and one that is cleared keeps all", () => {
  const stays = { annotations, finalizers: [computeFinalizer] };
  const maintained = { metadata: stays, node: aNode("True", "NovaComputeNode") };
  expect(writesOf(decide(aLeaving(aHost(), maintained)))).toMatch(/l2-lock[^"]*":null/);
  expect(writesOf(decide(aLeaving(aHost(), { ...maintained, node: aNode("True") })))).not.toContain("finalizers");
  const cleared = decide(aLeaving(aHost(), { ...maintained, wanted: "clear", pods: [aPod()] }));
  expect(writesOf(cleared)).not.toMatch(/"verb":"delete"|l2-lock/);
});
