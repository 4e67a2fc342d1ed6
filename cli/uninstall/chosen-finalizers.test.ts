import { expect, test } from "vitest";
import { release } from "../../functions/pvc-protection/release/rule.ts";
import type { Rule } from "../../shared/rule.ts";
import { withChosenFinalizers } from "./chosen-finalizers.ts";
import type { Installed } from "./installed.ts";

const ours = "holdfast.dev/pvc-protection";
const theirs = "example.com/protection";
const inTree = "kubernetes.io/pvc-protection";

const installed = (finalizer: string): Installed => ({
  kind: { apiVersion: "serving.knative.dev/v1", kind: "Service", plural: "services", namespaced: true },
  object: {
    apiVersion: "serving.knative.dev/v1",
    kind: "Service",
    metadata: { name: "pvc-protection-release", namespace: "holdfast", uid: "s1", resourceVersion: "1" },
    spec: { template: { spec: { containers: [{ env: [{ name: "FINALIZER", value: finalizer }] }] } } },
  } as never,
});

test.each<[string, readonly Installed[], readonly string[], readonly string[]]>([
  ["no function that says otherwise: the default", [], [], [ours]],
  ["a function that is set to another: that one", [installed(theirs)], [], [theirs]],
  ["no function any more, and one that is given: both", [], [theirs], [ours, theirs]],
  ["a function that is set to Kubernetes' own: none", [installed(inTree)], [], []],
  ["Kubernetes' own given by hand: the default alone", [], [inTree], [ours]],
])("%s", (_, functions, given, expected) => {
  const [rule] = withChosenFinalizers([release as unknown as Rule], functions, given);
  expect(rule?.finalizers?.map(({ finalizer }) => finalizer)).toEqual(expected);
});
