import { describe, expect, test } from "vitest";
import type { Fields } from "../../../shared/kubernetes/fields.ts";
import type { Resource } from "../resource.ts";
import { mutate } from "./mutate.ts";
import type { WriteRequest } from "./request.ts";

// Every expectation here is what kube-apiserver 1.36.3 made of the same policy, binding and claim.
const resource: Resource = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
  singular: "persistentvolumeclaim",
  namespaced: true,
};
const rule = { apiGroups: [""], apiVersions: ["v1"], resources: ["persistentvolumeclaims"], operations: ["CREATE"] };
const configure = (expression: string) => ({ patchType: "ApplyConfiguration", applyConfiguration: { expression } });
const stamp = configure('Object{metadata: Object.metadata{finalizers: ["holdfast.dev/x"]}}');
const policy = (spec: Fields = {}): Fields => ({
  metadata: { name: "p" },
  spec: { matchConstraints: { resourceRules: [rule] }, failurePolicy: "Fail", mutations: [stamp], ...spec },
});
const binding = (spec: Fields = {}): Fields => ({ metadata: { name: "b" }, spec: { policyName: "p", ...spec } });
const claim = (metadata: Fields = {}): Fields => ({
  metadata: { name: "x", ...metadata },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
});
const request = (object: Fields, more: Partial<WriteRequest> = {}): WriteRequest => ({
  operation: "CREATE",
  resource,
  name: "x",
  namespace: "n",
  namespaceObject: { metadata: { name: "n", labels: { "kubernetes.io/metadata.name": "n", team: "a" } } },
  object,
  user: { username: "admin", groups: ["system:masters"] },
  dryRun: false,
  ...more,
});
const mutated = (spec: Fields, object: Fields = claim(), more: Partial<WriteRequest> = {}, bindingSpec: Fields = {}) =>
  mutate([policy(spec)], [binding(bindingSpec)], request(object, more)) as { metadata: Fields; spec: Fields };
const finalizers = (...given: Parameters<typeof mutated>) => mutated(...given).metadata.finalizers;

describe("conditions", () => {
  const conditions = (...expressions: string[]) => ({
    matchConditions: expressions.map((expression, index) => ({ name: `c${index}`, expression })),
  });
  const broken = 'object.metadata.annotations["q"] == "x"';
  test("one that is false skips the policy, also if another fails", () =>
    expect(finalizers(conditions(broken, 'object.metadata.name != "x"'))).toBeUndefined());
  test("optional fields", () => {
    const spec = conditions('object.metadata.?annotations["q"].orValue("") != "off"');
    expect(finalizers(spec)).toEqual(["holdfast.dev/x"]);
    expect(finalizers(spec, claim({ annotations: { q: "off" } }))).toBeUndefined();
  });
  test("one that cannot be evaluated denies, or skips where failures are ignored", () => {
    expect(() => mutated(conditions(broken))).toThrow(
      expect.objectContaining({
        status: 403,
        reason: "Invalid",
        message: expect.stringMatching(
          /^policy 'p' with binding 'b' denied request: expression '.*' resulted in error: /,
        ),
        details: { name: "x", kind: "persistentvolumeclaims", causes: [{ message: expect.any(String) }] },
      }),
    );
    expect(finalizers({ ...conditions(broken), failurePolicy: "Ignore" })).toBeUndefined();
  });
});

describe("mutations", () => {
  const metadata = (...mutations: Fields[]) => mutated({ mutations }).metadata;

  test("see what those before them made", () => {
    const label = configure(
      'Object{metadata: Object.metadata{labels: {"f": object.metadata.finalizers[0].split("/")[1]}}}',
    );
    expect(metadata(stamp, label).labels).toEqual({ f: "x" });
  });
  test("know the request, the namespace and the policy's variables", () => {
    const variables = [
      { name: "bad", expression: "object.nope" },
      { name: "n", expression: "object.metadata.name + '-v'" },
      { name: "o", expression: "variables.n + 'o'" },
    ];
    const labels =
      "{'o': variables.o, 'ns': namespaceObject.metadata.name, 'op': request.operation, 'u': " +
      "request.userInfo.username, 'k': request.kind.kind, 'old': oldObject == null ? 'none' : 'some'}";
    const mutations = [configure(`Object{metadata: Object.metadata{labels: ${labels}}}`)];
    expect(mutated({ variables, mutations }).metadata.labels).toEqual({
      o: "x-vo",
      ns: "n",
      op: "CREATE",
      u: "admin",
      k: "PersistentVolumeClaim",
      old: "none",
    });
  });
  test("cannot rename", () =>
    expect(metadata(configure("Object{metadata: Object.metadata{name: 'y'}}")).name).toBe("x"));
  const reference = "Object.metadata.ownerReferences{apiVersion: 'v1', kind: 'X', name: 'y', uid: 'z'}";
  const patch = "error applying patch: ";
  const untyped = `${patch}failed to convert patch object to typed object: `;
  const atomic = `${patch}invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: `;
  const cases: [string, Fields, string][] = [
    [
      "an unknown field",
      configure("Object{metadata: Object.metadata{finalizer: ['x']}}"),
      `${untyped}.metadata.finalizer: field not declared in schema`,
    ],
    [
      "another type",
      configure("Object{metadata: Object.metadata{labels: {'a': 1}}}"),
      `${untyped}.metadata.labels.a: expected string, got 1`,
    ],
    [
      "an atomic list",
      configure("Object{spec: Object.spec{accessModes: ['ReadWriteMany']}}"),
      `${atomic}.spec.accessModes`,
    ],
    [
      "an atomic struct",
      configure(`Object{metadata: Object.metadata{ownerReferences: [${reference}]}}`),
      `${atomic}.metadata.ownerReferences[0]`,
    ],
    [
      "a JSON Patch",
      { patchType: "JSONPatch", jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/metadata/labels"}]' } },
      "the patch type JSONPatch is not supported here",
    ],
  ];
  for (const [name, mutation, why] of cases) {
    test(`${name} is denied, or left out where failures are ignored`, () => {
      expect(() => mutated({ mutations: [mutation] })).toThrow(`policy 'p' with binding 'b' denied request: ${why}`);
      expect(finalizers({ failurePolicy: "Ignore", mutations: [mutation, stamp] })).toEqual(["holdfast.dev/x"]);
    });
  }
  test("with parameters are refused", () => {
    expect(() => mutated({ paramKind: { apiVersion: "v1", kind: "ConfigMap" }, failurePolicy: "Ignore" })).toThrow(
      "parameters of policies are not supported here",
    );
  });
});
