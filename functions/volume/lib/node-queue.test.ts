import { describe, expect, test } from "vitest";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { hint, jid, persistentVolume, progress, type VolumeOptions, volume } from "../testing/objects.ts";
import { settleName } from "./follow.ts";
import { type BeginnerName, freedNodesIn, lookForOtherRun, nextInQueue } from "./node-queue.ts";
import type { VolumeObject } from "./volume.ts";

const job = `PrepareVolume/${jid}`;

test.each<[string, ReturnType<typeof hint>, boolean]>([
  ["whose storage is made", hint("update", volume({ phase: "Pending", job: "PrepareVolume/DONE" })), true],
  ["whose storage is taken back", hint("update", volume({ phase: "Terminating", job: "UnprepareVolume/DONE" })), true],
  ["whose run has failed", hint("update", volume({ phase: "Failed", reason: "CreationError", job })), true],
  ["whose run goes on", hint("update", volume({ phase: "Pending", job })), false],
  ["that is asked for its size", hint("update", volume({ phase: "Pending", job: `GetDeviceInfo/${jid}` })), false],
  ["that is available", hint("update", volume({ phase: "Available", job: "" })), false],
  ["that has done nothing yet", hint("add", volume()), false],
  ["of which only the name is known", hint("update", undefined), false],
  ["that is swept", hint("sweep", undefined), false],
  [
    "of another group",
    hint("update", { ...volume({ job: "PrepareVolume/DONE" }), apiVersion: "longhorn.io/v1" }),
    false,
  ],
  ["that is no Volume, but a PersistentVolume", hint("update", persistentVolume()), false],
])("the update of a Volume %s frees its node: or not", (_, event, expected) => {
  const nodes = freedNodesIn(event).map(({ kind, name }) => [kind.kind, name]);
  expect(nodes).toEqual(expected ? [["Node", "n0"]] : []);
});

/** A Volume of this name, so many seconds after the first. */
function named(name: string, second: number, options: VolumeOptions = {}): VolumeObject {
  const { metadata, ...rest } = volume(options);
  const creationTimestamp = new Date(Date.parse("2026-03-01T11:00:00Z") + second * 1000).toISOString();
  return { ...rest, metadata: { ...metadata, name, uid: metadata.uid, creationTimestamp } };
}

const queued = { phase: "Pending", annotations: progress("volume/prepare", "queued") } as const;
const going = { phase: "Terminating", deleting: true, annotations: progress("volume/reclaim", "queued") } as const;
const refused = { phase: "Pending", job, annotations: progress(settleName, "conflict", { jid }) } as const;

/** A cluster with these Volumes; notes with which labels they were listed. */
function clusterOf(volumes: readonly VolumeObject[], labels: unknown[] = []): Client {
  async function* list(_: unknown, { labelSelector }: { labelSelector?: string }) {
    labels.push(labelSelector);
    yield* volumes;
  }
  return { list } as unknown as Client;
}

describe("the next Volume on a node", () => {
  const rules: readonly BeginnerName[] = ["volume/prepare", "volume/reclaim", settleName];
  /** What each rule is to go on with: of one end, one of them. */
  const nextOf = async (...volumes: VolumeObject[]) => {
    const found = await Promise.all(rules.map((rule) => nextInQueue(clusterOf(volumes), "n0", rule)));
    return found.flatMap((name, index) => (name === undefined ? [] : [`${rules[index]} ${name}`]));
  };

  test("is the oldest that waits, whichever rule begins its run", async () => {
    const [b, c, a] = [named("b", 2, queued), named("c", 3, going), named("a", 4, refused)];
    expect(await nextOf(b, c, a)).toEqual(["volume/prepare b"]);
    expect(await nextOf(a, c)).toEqual(["volume/reclaim c"]);
    expect(await nextOf(a)).toEqual(["volume/settle a"]);
  });

  test("of the same age is the first by name", async () => {
    expect(await nextOf(named("b", 1, queued), named("a", 1, queued))).toEqual(["volume/prepare a"]);
  });

  test("is none where nobody waits, or where one works", async () => {
    const elsewhere = { ...queued, spec: { nodeName: "n1" } };
    expect(await nextOf()).toEqual([]);
    expect(await nextOf(named("a", 1, elsewhere), named("b", 1, { phase: "Available", job: "" }))).toEqual([]);
    expect(await nextOf(named("a", 1, queued), named("b", 2, { phase: "Pending", job }))).toEqual([]);
  });

  test("is none that waits for something else, or was refused under an earlier id", async () => {
    const lacking = { phase: "Pending", annotations: progress("volume/prepare", "class-missing") } as const;
    const again = { ...refused, annotations: progress(settleName, "conflict", { jid: "20260301115900000000" }) };
    expect(await nextOf(named("a", 1, lacking))).toEqual([]);
    expect(await nextOf(named("a", 1, queued), named("b", 2, again))).toEqual([]);
  });

  test("is looked for among those alone that wait", async () => {
    const labels: unknown[] = [];
    await nextInQueue(clusterOf([], labels), "n0", settleName);
    expect(labels).toEqual(["holdfast.dev/waiting=true"]);
  });
});

test("a refused run keeps no other from being begun", async () => {
  const own = { ...named("own", 1), metadata: { ...named("own", 1).metadata, uid: "own" } };
  expect(await lookForOtherRun(clusterOf([named("a", 1, refused)]), own)).toBeUndefined();
  expect(await lookForOtherRun(clusterOf([named("a", 1, { phase: "Pending", job })]), own)).toBe("a");
});
