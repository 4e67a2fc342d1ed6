import { expect, test } from "vitest";
import { claim, claims, configMaps, testServer } from "../fixtures/test-server.ts";

const group = "/apis/admissionregistration.k8s.io/v1";
const policy = {
  metadata: { name: "stamp" },
  spec: {
    reinvocationPolicy: "Never",
    matchConstraints: {
      resourceRules: [
        { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["persistentvolumeclaims"] },
      ],
    },
    mutations: [
      {
        patchType: "ApplyConfiguration",
        applyConfiguration: { expression: 'Object{metadata: Object.metadata{finalizers: ["holdfast.dev/stamp"]}}' },
      },
    ],
  },
};

async function stamping(change: object = {}) {
  const api = testServer();
  const made = await api.ask("POST", `${group}/mutatingadmissionpolicies`, {
    ...policy,
    spec: { ...policy.spec, ...change },
  });
  await api.ask("POST", `${group}/mutatingadmissionpolicybindings`, {
    metadata: { name: "stamp" },
    spec: { policyName: "stamp" },
  });
  return { ...api, made };
}

test("a policy adds to what the user and the in-tree protection put there", async () => {
  const { ask } = await stamping();
  const { json } = await ask("POST", claims, claim("data", { finalizers: ["user.dev/own"] }));
  expect([...json.metadata.finalizers].sort()).toEqual([
    "holdfast.dev/stamp",
    "kubernetes.io/pvc-protection",
    "user.dev/own",
  ]);
});

test("what it does not match stays as it is: other kinds, other operations, and itself", async () => {
  const { ask, made, merge } = await stamping();
  expect((await ask("POST", configMaps, { metadata: { name: "x" } })).json.metadata.finalizers).toBeUndefined();
  await ask("POST", claims, claim("data"));
  const { json } = await merge(`${claims}/data`, { metadata: { finalizers: null, labels: { a: "b" } } });
  expect([json.metadata.finalizers, made.json.metadata.finalizers]).toEqual([undefined, undefined]);
});

test("without a binding it does nothing", async () => {
  const { ask } = await stamping();
  await ask("DELETE", `${group}/mutatingadmissionpolicybindings/stamp`);
  expect((await ask("POST", claims, claim("data"))).json.metadata.finalizers).toEqual(["kubernetes.io/pvc-protection"]);
});

test("an expression that fails denies, unless it is to be ignored", async () => {
  const mutations = [{ patchType: "JSONPatch", jsonPatch: { expression: "object.spec.nothing.here" } }];
  const refused = await (await stamping({ mutations })).ask("POST", claims, claim("data"));
  expect([refused.status, refused.json.message]).toEqual([403, expect.stringContaining("policy 'stamp'")]);
  const ignoring = await stamping({ mutations, failurePolicy: "Ignore" });
  expect((await ignoring.ask("POST", claims, claim("data"))).status).toBe(201);
});

test("a policy is defaulted and says how often it wants to be asked", async () => {
  const { ask, made } = await stamping();
  expect(made.json.spec).toMatchObject({
    failurePolicy: "Fail",
    matchConstraints: {
      matchPolicy: "Equivalent",
      namespaceSelector: {},
      objectSelector: {},
      resourceRules: [{ scope: "*" }],
    },
  });
  const { reinvocationPolicy, ...spec } = policy.spec;
  const { json } = await ask("POST", `${group}/mutatingadmissionpolicies`, { metadata: { name: "x" }, spec });
  expect(json.details.causes[0].field).toBe("spec.reinvocationPolicy");
});
