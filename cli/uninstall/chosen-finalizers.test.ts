import { expect, test } from "vitest";
import { release } from "../../functions/pvc-protection/release/rule.ts";
import { UserError } from "../../shared/command/user-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import type { Rule } from "../../shared/rule.ts";
import { withChosenFinalizers } from "./chosen-finalizers.ts";
import type { Installed } from "./installed.ts";

const ours = "holdfast.dev/pvc-protection";
const theirs = "example.com/protection";
const inTree = "kubernetes.io/pvc-protection";

/** A cluster that has a ConfigMap with the setting. */
const client = { get: async () => ({ data: { FINALIZER: theirs } }) } as unknown as Client;

const runs = (container: object): Installed => ({
  kind: { apiVersion: "serving.knative.dev/v1", kind: "Service", plural: "services", namespaced: true },
  object: {
    apiVersion: "serving.knative.dev/v1",
    kind: "Service",
    metadata: { name: "pvc-protection-release", namespace: "holdfast", uid: "s1", resourceVersion: "1" },
    spec: { template: { spec: { containers: [container] } } },
  } as never,
});
const installed = (value: string) => runs({ env: [{ name: "FINALIZER", value }] });
const fromSecret = runs({ env: [{ name: "FINALIZER", valueFrom: { secretKeyRef: { name: "own", key: "x" } } }] });
const protecting = [release as unknown as Rule];

test.each<[string, readonly Installed[], readonly string[], readonly string[]]>([
  ["no function that says otherwise: the default", [], [], [ours]],
  ["a function that is set to another: that one", [installed(theirs)], [], [theirs]],
  ["a ConfigMap that names another: that one", [runs({ envFrom: [{ configMapRef: { name: "own" } }] })], [], [theirs]],
  [
    "a variable that refers to another: what it comes to",
    [
      runs({
        env: [
          { name: "HOST", value: "example.com" },
          { name: "FINALIZER", value: "$(HOST)/protection" },
        ],
      }),
    ],
    [],
    [theirs],
  ],
  ["no function any more, and one that is given: both", [], [theirs], [ours, theirs]],
  ["a Secret that names one, and one that is given: both", [fromSecret], [theirs], [ours, theirs]],
  ["a function that is set to Kubernetes' own: none", [installed(inTree)], [], []],
  ["Kubernetes' own given by hand: the default alone", [], [inTree], [ours]],
])("%s", async (_, functions, given, expected) => {
  const [rule] = await withChosenFinalizers(client, protecting, functions, given);
  expect(rule?.finalizers?.map(({ finalizer }) => finalizer)).toEqual(expected);
});

test("where a Secret names the finalizer and none is given, it says what to give", async () => {
  const chosen = withChosenFinalizers(client, protecting, [fromSecret], []);
  await expect(chosen).rejects.toThrow(UserError);
  await expect(chosen).rejects.toThrow("FINALIZER of pvc-protection-release could not be read");
  await expect(chosen).rejects.toThrow("Name the finalizer with --finalizer.");
});
