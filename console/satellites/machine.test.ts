import { expect, test } from "vitest";
import { preDrainHook, preTerminateHook } from "../../functions/satellite/lib/machine.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { hooksInWords } from "./machine.tsx";

test.each([
  [[preDrainHook, preTerminateHook], "Of Holdfast's hooks it has pre-drain and pre-terminate."],
  [[preTerminateHook], "Of Holdfast's hooks it has pre-terminate."],
  [["pre-drain.delete.hook.machine.cluster.x-k8s.io/other"], "It has no hook of Holdfast."],
])("a Machine with the hooks %j is said to have ours", (hooks, words) => {
  const annotations = Object.fromEntries(hooks.map((hook) => [hook, ""]));
  expect(hooksInWords({ metadata: { name: "m", annotations } } as unknown as KubernetesObject)).toBe(words);
});
