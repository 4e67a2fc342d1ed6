import { describe, expect, test } from "vitest";
import { type Kind, pathOf } from "../../shared/kubernetes/kind.ts";
import { installedKinds } from "../harness/kinds.ts";
import { manifest } from "../harness/manifest.ts";
import type { Bench } from "../harness/server.ts";
import { failure } from "./failure.ts";

const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] };
const matchConstraints = { resourceRules: [rule] };
const empty = "Required value: validations or auditAnnotations must contain at least one item";

/** By kind: each incomplete `spec`, and what is wrong with it. */
const incomplete: Readonly<Record<string, readonly (readonly [spec: object | undefined, ...causes: string[]])[]>> = {
  ValidatingAdmissionPolicy: [
    [
      undefined,
      "spec.matchConstraints: Required value",
      `spec.validations: ${empty}`,
      `spec.auditAnnotations: ${empty}`,
    ],
    [
      { matchConstraints: {}, validations: [{}] },
      "spec.matchConstraints.resourceRules: Required value",
      "spec.validations[0].expression: Required value: expression is not specified",
    ],
    [
      { matchConstraints: { resourceRules: [rule, {}] }, validations: [{ expression: "true" }] },
      "spec.matchConstraints.resourceRules[1].operations: Required value",
      "spec.matchConstraints.resourceRules[1].apiGroups: Required value",
      "spec.matchConstraints.resourceRules[1].apiVersions: Required value",
      "spec.matchConstraints.resourceRules[1].resources: Required value",
    ],
  ],
  ValidatingAdmissionPolicyBinding: [
    [
      {},
      "spec.policyName: Required value",
      "spec.validationActions: Required value: at least one validation action is required",
    ],
  ],
  MutatingAdmissionPolicy: [
    [
      { matchConstraints },
      "spec.mutations: Required value: mutations must contain at least one item",
      "spec.reinvocationPolicy: Required value",
    ],
    [{ matchConstraints, mutations: [{}], reinvocationPolicy: "Never" }, "spec.mutations[0].patchType: Required value"],
  ],
  MutatingAdmissionPolicyBinding: [[{}, "spec.policyName: Required value"]],
};

/** Which fields of admission policies and their bindings are required. */
export function policyFields(open: () => Promise<Bench>): void {
  describe("what is incomplete is refused, with every field that is missing", () => {
    test.each(Object.entries(incomplete))("a %s", async (kindName, each) => {
      const { admin, namespace: name } = await open();
      const kind = installedKinds.find((one) => one.kind === kindName) as Kind;
      for (const [spec, ...expected] of each) {
        const object = manifest(kind, { name }, spec ? { spec } : {});
        const { status, causes } = await failure(admin.request("POST", `${pathOf(kind)}?dryRun=All`, object));
        expect(status).toBe(422);
        expect(causes.map(({ field, message }) => `${field}: ${message}`)).toEqual(expected);
      }
    });
  });
}
