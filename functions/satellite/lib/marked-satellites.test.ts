import { expect, test } from "vitest";
import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { markedIn } from "./marked-satellites.ts";
import { satelliteNamed } from "./subjects.ts";
import { hintOf } from "./testing/seen.ts";
import { marksFor } from "./volumes.ts";

const carrying = (keys: readonly string[]) => {
  const annotations = Object.fromEntries(keys.map((key) => [key, "true"]));
  const volume = { metadata: { name: "pv-1", annotations } } as unknown as KubernetesObject;
  return markedIn(hintOf(PersistentVolume, "update", volume));
};

test("each Node that a volume carries marks for is a subject once", () => {
  const nodes = Array.from({ length: 64 }, (_, i) => `node-${i}`);
  expect(carrying(nodes.flatMap((node) => Object.values(marksFor(node))))).toEqual(nodes.map(satelliteNamed));
});

test("a forged volume with marks for tens of thousands of Nodes, or for none that can be, makes few subjects", () => {
  const keyOf = (node: string) => marksFor(node).override;
  expect(carrying(Array.from({ length: 80_000 }, (_, i) => keyOf(`${i}`)))).toHaveLength(100);
  expect(carrying(["..", "", "a/b", "x".repeat(64)].map(keyOf))).toEqual([]);
});
