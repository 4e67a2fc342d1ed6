import { expect, test } from "vitest";
import { hint, persistentVolume, volume } from "../testing/objects.ts";
import { ownersIn, volumesIn } from "./subjects.ts";

const named = [{ kind: expect.objectContaining({ kind: "Volume" }), name: "data" }];

test.each<[string, ReturnType<typeof hint>, boolean, boolean]>([
  ["a Volume that the rule cares for", hint("update", volume()), true, true],
  ["a Volume that it does not care for", hint("update", volume()), false, false],
  ["a Volume of which only the name is known", hint("update", undefined), false, true],
  ["a sweep", hint("sweep", undefined), false, true],
  ["a signal", hint("signal", undefined), false, true],
  ["a Volume that is gone", hint("delete", volume()), true, false],
  ["a Volume of another group", hint("update", { ...volume(), apiVersion: "longhorn.io/v1beta2" }), true, false],
  ["another kind", hint("update", persistentVolume()), true, false],
])("%s", (_, event, cares, expected) => expect(volumesIn(event, () => cares)).toMatchObject(expected ? named : []));

test.each<[string, ReturnType<typeof hint>, boolean]>([
  ["a PersistentVolume that a Volume controls", hint("update", persistentVolume()), true],
  ["a PersistentVolume without a controller", hint("update", persistentVolume({ owner: null })), false],
  ["one of which only the name is known", hint("update", undefined, "PersistentVolume"), true],
  ["a Volume", hint("update", volume()), false],
])("%s has an owner to look at: %s", (_, event, expected) => expect(ownersIn(event)).toEqual(expected ? named : []));

test("the subject of a sweep says so, because a rule may look at more then", () => {
  expect(volumesIn(hint("sweep", undefined), () => false)).toMatchObject([{ resync: true }]);
  expect(volumesIn(hint("update", volume()), () => true)[0]).not.toHaveProperty("resync");
});

test("a PersistentVolume that the rule does not care for has none, and one without its object has", () => {
  expect(ownersIn(hint("update", persistentVolume()), () => false)).toEqual([]);
  expect(ownersIn(hint("update", undefined, "PersistentVolume"), () => false)).toEqual(named);
});
