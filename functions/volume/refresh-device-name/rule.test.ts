import { describe, expect, test } from "vitest";
import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import { SystemError } from "../../../shared/system/system-error.ts";
import { Volume } from "../lib/kinds.ts";
import { hint, node, now, persistentVolume, progress, volume } from "../testing/objects.ts";
import { type Facts, refreshDeviceName } from "./rule.ts";

const settings = {};
const of = { boot: "b1", persistentVolume: "pv1" };
const decide = (facts: Facts) => refreshDeviceName.decide(facts, now, settings);

test("the device's name is written with the boot and the PersistentVolume that it goes with", () => {
  expect(decide([{ volume: volume({ phase: "Available" }), of, answer: { device: "loop3" } }])).toMatchObject([
    { do: "write", writes: [{ patch: { status: { deviceName: "loop3" } } }], step: { name: "known", details: of } },
  ]);
});

test("the same name is not written again", () => {
  const given = volume({ phase: "Available", deviceName: "loop3" });
  expect(decide([{ volume: given, of, answer: { device: "loop3" } }])).toMatchObject([{ do: "write", writes: [] }]);
});

test("a node that does not say it is asked again with each tick of the sweep, and one write says so", () => {
  const given = volume({ phase: "Available" });
  const answer = { message: "It is away." };
  expect(decide([{ volume: given, of, answer }])).toMatchObject([
    { do: "wait", step: { name: "unknown" }, next: now + 30_000 },
  ]);
  const annotations = progress(refreshDeviceName.name, "unknown", { next: "2026-03-01T11:00:00Z" });
  expect(decide([{ volume: volume({ phase: "Available", annotations }), of, answer }])).toMatchObject([
    { do: "wait", next: Date.parse("2026-03-01T11:00:00Z") },
  ]);
});

describe("a look", () => {
  const look = async (given: ReturnType<typeof volume>, run: () => Promise<unknown>, pv = persistentVolume()) => {
    const boot = { ...node, status: { nodeInfo: { bootID: "b1" } } };
    const get = async (kind: { kind: string }) =>
      kind.kind === Volume.kind ? given : kind.kind === PersistentVolume.kind ? pv : boot;
    const view = { client: { get } as never, salt: { run } as never, settings };
    const [found] = (await refreshDeviceName.look({ kind: Volume, name: "data" }, view)) as Facts;
    return found;
  };
  const answers = (value: unknown) => async () => ({ value });

  test.each<[unknown, object]>([
    [{ success: true, result: "loop3" }, { device: "loop3" }],
    [{ success: true, result: "cciss!c0d0" }, { device: "cciss!c0d0" }],
    [{ success: false, result: "device not found" }, { message: "device not found" }],
    [{ success: true, result: "Traceback (most recent call last)" }, { message: "Traceback (most recent call last)" }],
    [{ success: true }, { message: "The node's answer is no name of a device." }],
    [null, { message: "The node's answer is no name of a device." }],
  ])("takes %j for %j", async (value, expected) => {
    expect((await look(volume({ phase: "Available" }), answers(value)))?.answer).toEqual(expected);
  });

  const known = { phase: "Available", deviceName: "loop3" } as const;
  test.each<[string, Record<string, string>, boolean]>([
    ["in the same boot", progress(refreshDeviceName.name, "known", of), false],
    ["after another boot", progress(refreshDeviceName.name, "known", { ...of, boot: "b0" }), true],
    [
      "of a PersistentVolume that was made again",
      progress(refreshDeviceName.name, "known", { ...of, persistentVolume: "pv0" }),
      true,
    ],
    ["when nothing is written down", {}, true],
  ])("asks %s", async (_, annotations, asks) => {
    const found = await look(volume({ ...known, annotations }), answers({ success: true, result: "loop4" }));
    expect(found?.answer !== undefined).toBe(asks);
  });

  test("leaves it to the pipeline to say that Salt is away", async () => {
    const down = () => Promise.reject(new SystemError("Salt", "unreachable", "Salt is down."));
    await expect(look(volume({ phase: "Available" }), down)).rejects.toThrow("Salt is down.");
  });

  test.each([volume({ phase: "Pending" }), volume({ phase: "Available", deleting: true })])(
    "asks nothing of others",
    async (given) => {
      expect(await look(given, () => Promise.reject(new Error("asked")))).toBeUndefined();
    },
  );
});

test.each<[string, ReturnType<typeof hint>, number]>([
  ["an available Volume without a device", hint("update", volume({ phase: "Available" })), 1],
  ["a sweep", hint("sweep", undefined), 1],
  [
    "an available Volume with one",
    hint(
      "update",
      volume({ phase: "Available", deviceName: "loop3", annotations: progress(refreshDeviceName.name, "known") }),
    ),
    0,
  ],
  ["a Volume that is being made", hint("update", volume({ phase: "Pending" })), 0],
  ["a node", hint("update", node), 0],
])("%s", (_, event, expected) => expect(refreshDeviceName.subjects(event, settings)).toHaveLength(expected));
