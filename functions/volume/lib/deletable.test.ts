import { expect, test } from "vitest";
import { isDeletable } from "./deletable.ts";
import type { Phase } from "./volume.ts";

/** The document's decision tree, leaf by leaf. */
const can: readonly [Phase, string | undefined][] = [
  ["Failed", undefined],
  ["Failed", "Available"],
  ["Failed", "Released"],
  ["Failed", "Failed"],
  ["Available", undefined],
  ["Available", "Available"],
  ["Available", "Released"],
  ["Available", "Failed"],
];
const phases: readonly Phase[] = ["Unknown", "Pending", "Available", "Failed", "Terminating"];
const ofPersistentVolumes = [undefined, "Pending", "Available", "Bound", "Released", "Failed", "", "Lost"];

test.each(phases.flatMap((phase) => ofPersistentVolumes.map((other) => [phase, other] as const)))(
  "%s, with a PersistentVolume that is %s",
  (phase, other) => expect(isDeletable(phase, other)).toBe(can.some(([a, b]) => a === phase && b === other)),
);
