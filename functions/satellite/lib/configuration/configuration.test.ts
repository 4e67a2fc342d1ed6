import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { policyOf } from "../satellite.ts";
import { appliedTo, type Configuration, mergeConfigurations } from "./merge.ts";
import { resolveProperties } from "./resolve-properties.ts";

const inZone = (zone: string) => ({ name: `node-${zone}`, labels: { zone } });
const configuration = (name: string, spec: Configuration["spec"] = {}): Configuration => ({ name, spec });

describe("merging configurations", () => {
  test("of none, the policy is Retain", () =>
    expect(mergeConfigurations([], inZone("a"))).toEqual({ spec: { deletionPolicy: "Retain" }, applied: [] }));

  test("one for all without a policy and one for a zone: that zone evacuates, others retain", () => {
    const all = [
      configuration("01-zone-a", { nodeSelector: { zone: "a" }, deletionPolicy: "Evacuate" }),
      configuration("00-all"),
    ];
    expect(mergeConfigurations(all, inZone("a"))).toMatchObject({
      spec: { deletionPolicy: "Evacuate" },
      applied: ["00-all", "01-zone-a"],
    });
    expect(mergeConfigurations(all, inZone("b"))).toMatchObject({
      spec: { deletionPolicy: "Retain" },
      applied: ["00-all"],
    });
    expect(all.map((one) => appliedTo(one, [inZone("b"), inZone("a")]))).toEqual([
      { appliedTo: ["node-a"], matched: 1 },
      { appliedTo: ["node-a", "node-b"], matched: 2 },
    ]);
  });

  test("the last that says anything wins, and an empty policy says nothing", () => {
    const merged = mergeConfigurations(
      [
        configuration("a", { deletionPolicy: "Delete", ipFamilies: ["IPv4"] }),
        configuration("b", { deletionPolicy: "Evacuate", ipFamilies: ["IPv6"] }),
        configuration("c", { deletionPolicy: "" }),
      ],
      inZone("a"),
    );
    expect(merged.spec).toEqual({ deletionPolicy: "Evacuate", ipFamilies: ["IPv6"] });
  });

  test("properties and pools are merged by name, the later one whole, and sorted", () => {
    const { spec } = mergeConfigurations(
      [
        configuration("a", {
          properties: [{ name: "z", value: "1", optional: true }],
          storagePools: [{ name: "pool", filePool: { directory: "/a" }, properties: [{ name: "p", value: "1" }] }],
        }),
        configuration("b", {
          properties: [
            { name: "z", value: "2" },
            { name: "b", value: "3" },
          ],
          storagePools: [{ name: "pool", lvmPool: { volumeGroup: "vg" } }],
        }),
      ],
      inZone("a"),
    );
    expect(spec.properties).toEqual([
      { name: "b", value: "3" },
      { name: "z", value: "2" },
    ]);
    expect(spec.storagePools).toEqual([{ name: "pool", lvmPool: { volumeGroup: "vg" } }]);
  });

  test("pod templates are patches of the DaemonSet, and patches follow one another", () => {
    const { spec } = mergeConfigurations(
      [
        configuration("b", { patches: [{ patch: "second" }] }),
        configuration("a", { podTemplate: { spec: { hostNetwork: true } }, patches: [{ patch: "first" }] }),
      ],
      inZone("a"),
    );
    expect(spec.patches?.map(({ patch }) => patch)).toEqual([
      expect.stringContaining('"template":{"spec":{"hostNetwork":true}}'),
      "first",
      "second",
    ]);
    expect(spec.patches?.[0]?.target).toEqual({ kind: "DaemonSet", name: "linstor-satellite" });
  });

  test("a negative affinity selects, too", () => {
    const nodeAffinity = {
      nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "NotIn" as const, values: ["a"] }] }],
    };
    const merged = ["a", "b"].map((zone) => mergeConfigurations([configuration("x", { nodeAffinity })], inZone(zone)));
    expect(merged.map(({ applied }) => applied)).toEqual([[], ["x"]]);
  });

  test("the order in which they are listed does not matter", () => {
    const policies = fc.constantFrom("Evacuate", "Retain", "Delete", "" as const, undefined);
    const some = fc.uniqueArray(
      fc.record({ name: fc.string({ minLength: 1 }), policy: policies, value: fc.string() }),
      { selector: ({ name }) => name },
    );
    fc.assert(
      fc.property(some, fc.infiniteStream(fc.nat()), (given, order) => {
        const all = given.map(({ name, policy, value }) =>
          configuration(name, { deletionPolicy: policy as "Evacuate", properties: [{ name: "p", value }] }),
        );
        const shuffled = all.map((one) => [order.next().value ?? 0, one] as const).sort(([a], [b]) => a - b);
        const merged = mergeConfigurations(all, inZone("a"));
        expect(
          mergeConfigurations(
            shuffled.map(([, one]) => one),
            inZone("a"),
          ),
        ).toEqual(merged);
      }),
    );
  });
});

test.each([
  [undefined, "Retain"],
  [{}, "Retain"],
  [{ deletionPolicy: "" }, "Retain"],
  [{ deletionPolicy: "Discard" }, "Retain"],
  [{ deletionPolicy: "Evacuate" }, "Evacuate"],
  [{ deletionPolicy: "Delete" }, "Delete"],
])("a spec %j has the policy %s", (spec, expected) => expect(policyOf(spec)).toBe(expected));

describe("properties of a Node", () => {
  const node = {
    metadata: { name: "n1", labels: { "topology.kubernetes.io/zone": "a" }, annotations: {} },
    spec: { unschedulable: true, taints: [{ key: "t" }] },
  };
  const from = (nodeFieldRef: string, optional?: boolean) =>
    resolveProperties([{ name: "p", valueFrom: { nodeFieldRef }, ...(optional ? { optional } : {}) }], node);

  test.each([
    ["metadata.name", "n1"],
    ["metadata.labels['topology.kubernetes.io/zone']", "a"],
    ['metadata.labels["topology.kubernetes.io/zone"]', "a"],
    ["metadata.annotations['absent']", ""],
    ["spec.unschedulable", "true"],
    ["spec.taints[0].key", "t"],
    ["status.absent.deeper", ""],
    ["metadata.labels['toString']", ""],
  ])("%s is %j", (path, value) => expect(from(path)).toEqual({ properties: { p: value } }));
  test("an empty value of an optional property leaves it out", () => {
    expect(from("metadata.labels['absent']", true)).toEqual({ properties: {} });
    expect(resolveProperties([{ name: "p", value: "", optional: true }], node)).toEqual({ properties: {} });
  });
  test.each(["metadata..name", "metadata.labels[", "", "$(x)", "spec.taints", "metadata.name.first"])(
    "%j is a problem that names the property",
    (path) => expect(from(path)).toEqual({ problem: expect.stringContaining("The property p asks for the Node's") }),
  );
});
