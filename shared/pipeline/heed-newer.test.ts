import { expect, test } from "vitest";
import type { Decision } from "../decision.ts";
import { PersistentVolumeClaim } from "../kubernetes/kind.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { heedNewer } from "./heed-newer.ts";

const decisionOn = (annotations: Record<string, string>): Decision => {
  const metadata = { name: "data", namespace: "shop", uid: "u1", resourceVersion: "7", annotations };
  const about: KubernetesObject = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata };
  const patch = { metadata: { finalizers: [] } };
  const write = { verb: "patch", type: "merge", kind: PersistentVolumeClaim, name: "data", patch } as never;
  return { do: "write", about, kind: PersistentVolumeClaim, because: "It goes.", writes: [write] };
};
const progress = (v: unknown, uid = "u1") => JSON.stringify({ v, uid, step: "held", plan: "c" });

test.each<[string, Record<string, string>]>([
  ["nothing is written down", {}],
  ["this version wrote it", { "holdfast.dev/pvc-retention.grace": progress(1) }],
  ["the next version wrote it", { "holdfast.dev/pvc-retention.grace": progress(2) }],
  ["it was written for another incarnation", { "holdfast.dev/pvc-retention.grace": progress(3, "u0") }],
  ["it is of another system", { "holdfast.dev/pvc-protection.release": progress(3) }],
  ["it is no progress", { "holdfast.dev/pvc-retention.grace": "{soon}", "holdfast.dev/pvc-delete-at": "tomorrow" }],
  ["its version is no number", { "holdfast.dev/pvc-retention.grace": progress("3") }],
])("a decision stands when %s", (_, annotations) => {
  const decision = decisionOn(annotations);
  expect(heedNewer("pvc-retention/grace", decision)).toBe(decision);
});

test.each(["grace", "bequeath"])("what a far newer version of %s wrote stops every rule of the system", (writer) => {
  const key = `holdfast.dev/pvc-retention.${writer}`;
  const heeded = heedNewer("pvc-retention/grace", decisionOn({ [key]: progress(3) }));
  expect(heeded).toMatchObject({ do: "stop", notice: { type: "Warning", reason: "NewerProgress" } });
  expect(heeded).not.toHaveProperty("step");
  expect(heeded.because).toContain(`${key} was written by a version of Holdfast that is newer`);
  expect(heeded.because).toContain("roll pvc-retention/grace forward");
});
