import { expect, test } from "vitest";
import { volumeFinalizer } from "../lib/volume.ts";
import { hint, now, volume, written } from "../testing/objects.ts";
import { addFinalizer } from "./rule.ts";

const decide = (given: ReturnType<typeof volume>) => addFinalizer.decide(given, now, {});

test("a new Volume gets the finalizer beside those of others, guarded by uid and resourceVersion", () => {
  const given = volume({ finalizers: ["a.example/x"] });
  expect(decide(given)).toMatchObject([
    {
      do: "write",
      writes: [
        {
          type: "json",
          patch: [
            { op: "test", path: "/metadata/uid", value: given.metadata.uid },
            { op: "test", path: "/metadata/resourceVersion", value: "9" },
            { op: "add", path: "/metadata/finalizers/-", value: volumeFinalizer },
          ],
        },
      ],
    },
  ]);
});

test.each<[string, object, string]>([
  ["none", { sparseLoopDevice: undefined }, "volume type not found in Volume Spec"],
  ["two", { rawBlockDevice: { devicePath: "/dev/sdb" } }, "more than one volume type in Volume Spec"],
])("a Volume with %s of the sources is refused, and nothing holds it", (_, spec, expected) => {
  const [decision] = decide(volume({ finalizers: [], spec }));
  expect(decision).toMatchObject({ do: "write", event: { reason: "InvalidVolume" } });
  expect(decision?.message).toContain(expected);
  expect(written(decision)).toContain('"reason":"InternalError"');
  expect(written(decision)).not.toContain("/metadata/finalizers");
});

test.each<[string, ReturnType<typeof volume>]>([
  ["has the finalizer", volume()],
  ["is being deleted", volume({ finalizers: ["a.example/x"], deleting: true })],
  ["was refused", volume({ finalizers: [], phase: "Failed", reason: "InternalError" })],
])("a Volume that %s is left as it is", (_, given) => expect(decide(given)).toMatchObject([{ do: "wait" }]));

test("a Volume that is gone needs no decision", () => expect(addFinalizer.decide(undefined, now, {})).toEqual([]));

test.each<[string, ReturnType<typeof hint>, number]>([
  ["a Volume without the finalizer", hint("add", volume({ finalizers: [] })), 1],
  ["a Volume of which only the name is known", hint("sweep", undefined), 1],
  ["a Volume with it", hint("update", volume()), 0],
  ["a Volume that is being deleted", hint("update", volume({ finalizers: [], deleting: true })), 0],
])("%s", (_, event, expected) => expect(addFinalizer.subjects(event, {})).toHaveLength(expected));
