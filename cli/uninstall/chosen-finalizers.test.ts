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
/** The policy that bounds the writes of the function, with this as the finalizer. */
const bounding = (expression: string): Installed => {
  const [apiVersion, kind] = ["admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"];
  const metadata = { name: "holdfast-pvc-protection-release", uid: "p1", resourceVersion: "1" };
  const variables = [
    { name: "FINALIZER", expression },
    { name: "labels", expression: "{}" },
  ];
  return {
    kind: { apiVersion, kind, plural: "validatingadmissionpolicies", namespaced: false },
    object: { apiVersion, kind, metadata, spec: { variables } } as never,
  };
};
const inPhases = (all: readonly Installed[]) => ({
  functions: all.filter(({ kind }) => kind.namespaced),
  rest: all.filter(({ kind }) => !kind.namespaced),
});
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
  ["no function any more, and a policy that names another: both", [bounding(`"${theirs}"`)], [], [ours, theirs]],
  [
    "a function that is set to another, and a policy not read: the function's",
    [installed(theirs), bounding("f")],
    [],
    [theirs],
  ],
  ["a Secret that names one, and one that is given: both", [fromSecret], [theirs], [ours, theirs]],
  ["a function that is set to Kubernetes' own: none", [installed(inTree)], [], []],
  ["Kubernetes' own given by hand: the default alone", [], [inTree], [ours]],
])("%s", async (_, functions, given, expected) => {
  const [rule] = await withChosenFinalizers(client, protecting, inPhases(functions), given);
  expect(rule?.finalizers?.map(({ finalizer }) => finalizer)).toEqual(expected);
});

test.each([
  ["a Secret names the finalizer", fromSecret],
  ["the functions are gone, and their policy does not name it plainly", bounding('"example.com/" + "x"')],
])("where %s and none is given, it says what to give", async (_, one) => {
  const chosen = withChosenFinalizers(client, protecting, inPhases([one]), []);
  await expect(chosen).rejects.toThrow(UserError);
  await expect(chosen).rejects.toThrow("FINALIZER of pvc-protection-release could not be read");
  await expect(chosen).rejects.toThrow("Name the finalizer with --finalizer.");
});
