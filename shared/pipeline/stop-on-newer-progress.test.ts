import { expect, test } from "vitest";
import type { Decision } from "../decision.ts";
import { PersistentVolumeClaim } from "../kubernetes/kind.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { newerProgress } from "../steps.ts";
import { stopOnNewerProgress } from "./stop-on-newer-progress.ts";

const decisionOn = (annotations: Record<string, string>): Decision => {
  const metadata = { name: "data", namespace: "shop", uid: "u1", resourceVersion: "7", annotations };
  const about: KubernetesObject = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata };
  const patch = { metadata: { finalizers: [] } };
  const write = { verb: "patch", type: "merge", kind: PersistentVolumeClaim, name: "data", patch } as never;
  return { do: "write", about, kind: PersistentVolumeClaim, message: "It goes.", writes: [write] };
};
const progress = (v: unknown, uid = "u1") => JSON.stringify({ v, uid, step: "held", plan: "c" });

test.each<[string, Record<string, string>]>([
  ["nothing is written down", {}],
  ["this version wrote it", { "holdfast.dev/satellite.evacuate": progress(1) }],
  ["the next version wrote it", { "holdfast.dev/satellite.evacuate": progress(2) }],
  ["it was written for another incarnation", { "holdfast.dev/satellite.evacuate": progress(3, "u0") }],
  ["it is of another rule", { "holdfast.dev/satellite.mark": progress(3) }],
  ["it is no progress", { "holdfast.dev/satellite.evacuate": "{soon}", "holdfast.dev/delete-at": "tomorrow" }],
  ["its version is no number", { "holdfast.dev/satellite.evacuate": progress("3") }],
])("a decision stands when %s", (_, annotations) => {
  const decision = decisionOn(annotations);
  expect(stopOnNewerProgress({ name: "satellite/evacuate" }, decision)).toBe(decision);
});

test("what a far newer version wrote stops a rule that acts upon it", () => {
  const heeded = stopOnNewerProgress(
    { name: "satellite/evacuate" },
    decisionOn({ "holdfast.dev/satellite.evacuate": progress(3) }),
  );
  expect(heeded).toMatchObject({ do: "stop", event: { type: "Warning", reason: "NewerProgress" } });
  expect(heeded).not.toHaveProperty("step");
  expect(heeded.message).toContain(
    "holdfast.dev/satellite.evacuate was written by a version of Holdfast that is newer",
  );
  expect(heeded.message).toContain("roll satellite/evacuate forward");
});

test("rules that share their progress say the same, and none replaces the Event of another", () => {
  const [one, other] = ["run-job", "add-finalizer"].map((name) =>
    stopOnNewerProgress(
      { name: `volume/${name}`, progressName: "volume/job" },
      decisionOn({ "holdfast.dev/volume.job": progress(3) }),
    ),
  );
  expect(one).toEqual(other);
  expect(one?.message).toContain("roll the functions of volume forward");
});

test("a rule that has seen it by itself says so in its own words", () => {
  const { about, kind } = decisionOn({ "holdfast.dev/satellite.evacuate": progress(3) });
  const own: Decision = { do: "stop", about, kind, message: "Roll it forward.", event: newerProgress };
  expect(stopOnNewerProgress({ name: "satellite/evacuate" }, own)).toBe(own);
});
