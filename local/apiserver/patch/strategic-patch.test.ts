import { describe, expect, test } from "vitest";
import { strategicMerge } from "./strategic-patch.ts";

// Every expectation here is what kube-apiserver 1.36.3 made of the same patch.
const kind = { apiVersion: "v1", kind: "Pod", plural: "pods", namespaced: true };
const owner = (uid: string, name: string) => ({ apiVersion: "v1", kind: "Foo", name, uid });
const live = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "t",
    labels: { a: "1", b: "2" },
    finalizers: ["x.y/a", "x.y/b", "x.y/c"],
    ownerReferences: [owner("u1", "f"), owner("u2", "g")],
  },
  spec: {
    nodeSelector: { n: "1" },
    tolerations: [{ key: "k", operator: "Exists" }],
    containers: [
      {
        name: "a",
        image: "i",
        args: ["1", "2"],
        env: [
          { name: "E1", value: "1" },
          { name: "E2", value: "2" },
        ],
      },
      { name: "b", image: "j" },
    ],
    volumes: [
      { name: "v", emptyDir: {} },
      { name: "w", configMap: { name: "c" } },
    ],
  },
};
type Live = typeof live;
const patched = (patch: unknown) => strategicMerge(kind, live, patch) as Live;
const metadata = (patch: unknown) => patched({ metadata: patch }).metadata;
const spec = (patch: unknown) => patched({ spec: patch }).spec as Record<string, unknown>;
const names = (list: unknown) => (list as { name: string }[]).map(({ name }) => name);

describe("finalizers are a set", () => {
  const cases: [string, Record<string, unknown>, string[]][] = [
    ["a new one comes first", { finalizers: ["x.y/d"] }, ["x.y/d", "x.y/a", "x.y/b", "x.y/c"]],
    ["nothing twice", { finalizers: ["x.y/d", "x.y/b"] }, ["x.y/d", "x.y/a", "x.y/b", "x.y/c"]],
    ["one is removed", { "$deleteFromPrimitiveList/finalizers": ["x.y/b"] }, ["x.y/a", "x.y/c"]],
    [
      "one goes, one comes",
      { "$deleteFromPrimitiveList/finalizers": ["x.y/b"], finalizers: ["x.y/z"] },
      ["x.y/z", "x.y/a", "x.y/c"],
    ],
    ["order", { "$setElementOrder/finalizers": ["x.y/c", "x.y/a"] }, ["x.y/b", "x.y/c", "x.y/a"]],
    [
      "order with a new one",
      { "$setElementOrder/finalizers": ["x.y/c", "x.y/z", "x.y/a"], finalizers: ["x.y/z"] },
      ["x.y/b", "x.y/c", "x.y/z", "x.y/a"],
    ],
  ];
  for (const [name, patch, expected] of cases) test(name, () => expect(metadata(patch).finalizers).toEqual(expected));
  test("null removes the list", () => expect(metadata({ finalizers: null }).finalizers).toBeUndefined());
});

describe("owner references merge by uid", () => {
  const uids = (patch: unknown) => metadata({ ownerReferences: patch }).ownerReferences.map(({ uid }) => uid);
  test("replace", () => expect(uids([{ $patch: "replace" }, owner("u3", "h")])).toEqual(["u3"]));
});

describe("pod templates", () => {
  test("scalars in a container are replaced whole, env merges", () => {
    const [a] = spec({
      containers: [
        {
          name: "a",
          args: ["9"],
          env: [
            { name: "E2", value: "3" },
            { name: "E1", value: null },
          ],
        },
      ],
    }).containers as unknown[];
    expect(a).toEqual({ name: "a", image: "i", args: ["9"], env: [{ name: "E2", value: "3" }, { name: "E1" }] });
  });
  test("$setElementOrder orders", () => {
    expect(names(spec({ "$setElementOrder/containers": [{ name: "b" }, { name: "a" }] }).containers)).toEqual([
      "b",
      "a",
    ]);
  });
  test("$retainKeys changes a volume's source", () => {
    const change = { name: "v", $retainKeys: ["name", "hostPath"], hostPath: { path: "/x" } };
    expect(spec({ volumes: [change] }).volumes).toEqual([
      { name: "v", hostPath: { path: "/x" } },
      live.spec.volumes[1],
    ]);
  });
  test("tolerations are atomic, the node selector merges", () => {
    expect(spec({ tolerations: [{ key: "l" }] }).tolerations).toEqual([{ key: "l" }]);
    expect(spec({ nodeSelector: { m: "1" } }).nodeSelector).toEqual({ n: "1", m: "1" });
  });
  test("$patch on an object", () => {
    expect(spec({ nodeSelector: { $patch: "replace", m: "1" } }).nodeSelector).toEqual({ m: "1" });
    expect(spec({ nodeSelector: { $patch: "delete" } }).nodeSelector).toEqual({});
    expect(spec({ dnsConfig: { $patch: "replace", nameservers: ["1.1.1.1"] } }).dnsConfig).toBeUndefined();
  });
  test("what is new comes without nulls and directives", () => {
    const initContainers = [
      {
        name: "q",
        image: null,
        "$setElementOrder/env": [{ name: "E" }],
        env: [
          { name: "E", value: null },
          { name: "F", $patch: "delete" },
        ],
      },
    ];
    expect(spec({ initContainers }).initContainers).toEqual([{ name: "q", env: [{ name: "E" }] }]);
  });
});

describe("refused", () => {
  const cases: [string, unknown, number, string][] = [
    [
      "an unknown $patch",
      { metadata: { labels: { $patch: "bogus" } } },
      500,
      'unknown patch type: bogus in map: {"$patch":"bogus"}',
    ],
    [
      "$patch: merge, in a map",
      { metadata: { labels: { $patch: "merge" } } },
      500,
      'unknown patch type: merge in map: {"$patch":"merge"}',
    ],
    [
      "$patch: merge, in a list",
      { metadata: { ownerReferences: [{ $patch: "merge", uid: "u1" }] } },
      500,
      "merging lists cannot yet be specified in the patch",
    ],
    [
      "no merge key",
      { metadata: { ownerReferences: [{ name: "x" }] } },
      500,
      'map: {"name":"x"} does not contain declared merge key: uid',
    ],
    [
      "a key that is not retained",
      { spec: { volumes: [{ name: "v", $retainKeys: ["name"], hostPath: {} }] } },
      400,
      "invalid patch format of retainKeys",
    ],
    [
      "an unknown directive",
      { metadata: { $foo: 1 } },
      400,
      "the directive $foo of strategic merge patches is not supported",
    ],
    ["no object", [], 400, "error decoding patch: it is no object"],
  ];
  for (const [name, patch, status, message] of cases) {
    test(name, () => expect(() => patched(patch)).toThrow(expect.objectContaining({ status, message })));
  }
  test("elements that $setElementOrder does not name", () => {
    const patch = { spec: { "$setElementOrder/containers": [{ name: "b" }], containers: [{ name: "c" }] } };
    expect(() => patched(patch)).toThrow("doesn't match $setElementOrder list");
  });
});

test("neither the target nor the patch is touched", () => {
  const [before, patch] = [structuredClone(live), { metadata: { labels: { c: "3" }, finalizers: ["x.y/d"] } }];
  const result = patched(patch);
  (result.metadata.labels as Record<string, string>).d = "4";
  expect(live).toEqual(before);
  expect(patch.metadata.labels).toEqual({ c: "3" });
});
