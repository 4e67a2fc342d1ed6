import { expect, test } from "vitest";
import { ApiError } from "../../../shared/kubernetes/api-error.ts";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import { partly } from "../../../shared/look-at-each.ts";
import { LinstorCluster, LinstorSatellite } from "../lib/kinds.ts";
import { aSatellite, hintOf, now } from "../lib/testing/seen.ts";
import { deleteSatellite, type Facts } from "./rule.ts";

const node = (spec: object = {}) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "node-1", uid: "n1", resourceVersion: "1", labels: { zone: "a" } },
  spec,
});
const cluster = (spec: object = {}) => ({
  apiVersion: LinstorCluster.apiVersion,
  kind: LinstorCluster.kind,
  metadata: { name: "linstorcluster", uid: "c1", resourceVersion: "2" },
  spec,
});
const asks = (operator: string, values?: string[]) => ({
  nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator, ...(values ? { values } : {}) }] }],
});
const owned: Facts[number] = { satellite: aSatellite({ deleting: false }), node: node(), cluster: cluster() };
const decide = (more: Partial<Facts[number]> = {}) => deleteSatellite.decide([{ ...owned, ...more }], now, {})[0];
const tainted = (effect: string) => ({ node: node({ taints: [{ key: "test", effect }] }) });

test.each<[string, Partial<Facts[number]>]>([
  ["does not match the nodeSelector", { cluster: cluster({ nodeSelector: { zone: "b" } }) }],
  ["does not match its nodeAffinity", { cluster: cluster({ nodeAffinity: asks("In", ["b"]) }) }],
  ["has the taint test:NoExecute", tainted("NoExecute")],
  ["is gone", { node: undefined }],
])("deletes just this satellite when its Node %s, and says so", (message, more) => {
  expect(decide(more)).toMatchObject({
    do: "write",
    message: expect.stringContaining(message),
    writes: [{ verb: "delete", name: "node-1", options: { uid: "u1", resourceVersion: "7" } }],
  });
});

const foreign = [{ manager: "piraeus.io/operator", time: "2026-01-01T00:00:00Z" }];
test.each<[string, Partial<Facts[number]>]>([
  ["matches", {}],
  ["has NoSchedule", tainted("NoSchedule")],
  ["has PreferNoSchedule", tainted("PreferNoSchedule")],
  ["is gone, and the satellite has no owner", { node: undefined, cluster: undefined }],
  ["is gone, and the satellite is going", { node: undefined, satellite: aSatellite() }],
  [
    "is gone, and the satellite is piraeus-operator's",
    { node: undefined, satellite: aSatellite({ deleting: false, metadata: { managedFields: foreign } }) },
  ],
])("leaves a satellite whose Node %s", (_, more) => expect(decide(more)?.do).toBe("leave"));

test.each<[string, object, RegExp]>([
  ["no terms", { nodeAffinity: { nodeSelectorTerms: [] } }, /has no nodeSelectorTerms/],
  ["In without values", { nodeAffinity: asks("In", []) }, /zone In without values/],
  ["DoesNotExist with values", { nodeAffinity: asks("DoesNotExist", ["a"]) }, /with values/],
  ["an operator that there is not", { nodeAffinity: asks("Near", ["a"]) }, /has the operator Near/],
  ["a value that no label has", { nodeAffinity: asks("In", ["a", "b c"]) }, /zone In with the value b c/],
  ["Gt with more than 64 bits", { nodeAffinity: asks("Gt", ["9223372036854775808"]) }, /whole number/],
  ["a nodeSelector's key", { nodeSelector: { "zone=": "a" } }, /nodeSelector asks for zone=,/],
  ["a nodeSelector's value", { nodeSelector: { zone: "a=" } }, /asks for zone with the value a=,/],
  ["a toleration's key", { tolerations: [{ key: "a b", operator: "Exists" }] }, /toleration of a b has a key/],
  ["a toleration's value", { tolerations: [{ key: "a", value: "b c" }] }, /has the value b c/],
  ["a toleration's time", { tolerations: [{ key: "a", operator: "Exists", tolerationSeconds: 5 }] }, /NoExecute/],
  ["a toleration without a key", { tolerations: [{ value: "x" }] }, /has no key/],
  ["Exists with a value", { tolerations: [{ key: "a", operator: "Exists", value: "x" }] }, /Exists and a value/],
  ["a toleration's operator", { tolerations: [{ key: "a", operator: "Equals" }] }, /operator Equals/],
  ["a toleration's effect", { tolerations: [{ key: "a", operator: "Exists", effect: "All" }] }, /effect All/],
])("deletes no satellite of a LinstorCluster that is wrong: %s, and warns", (_, spec, problem) => {
  const [warned, left] = deleteSatellite.decide(
    [{ ...owned, ...tainted("NoExecute"), cluster: cluster(spec) }],
    now,
    {},
  );
  const about = { metadata: { name: "linstorcluster" } };
  expect(warned).toMatchObject({ do: "record", about, message: expect.stringMatching(problem) });
  expect(left).toMatchObject({ do: "leave", message: expect.stringContaining("node-1 stays") });
  // Where the Node is gone, there is nothing to read.
  expect(deleteSatellite.decide([{ ...owned, node: undefined, cluster: cluster(spec) }], now, {})[1]?.do).toBe("write");
});

test("looks at a satellite at each update, which its Node may be behind, until the satellite leaves", () => {
  const looks = (object: Parameters<typeof hintOf>[2]) =>
    deleteSatellite.subjects(hintOf(LinstorSatellite, "update", object), {});
  expect(looks(aSatellite({ deleting: false }))).toEqual([{ kind: LinstorSatellite, name: "node-1" }]);
  expect(looks("node-1")).toEqual([{ kind: LinstorSatellite, name: "node-1" }]);
  expect(looks(aSatellite())).toEqual([]);
});

test("a Node that the API server does not serve keeps no other satellite from being deleted", async () => {
  const names = ["node-1", "node-2", "node-3"];
  const error = new ApiError("GET", { status: 500, reason: "InternalError", message: "a fault" });
  const client = {
    async *list() {
      const { apiVersion, kind } = LinstorCluster;
      const ownerReferences = [{ apiVersion, kind, name: "linstorcluster", uid: "c1", controller: true }];
      for (const name of names)
        yield { ...owned.satellite, metadata: { ...owned.satellite.metadata, name, ownerReferences } };
    },
    async get(kind: Kind, _namespace: string | undefined, name: string) {
      if (kind === LinstorCluster) return owned.cluster;
      if (name === "node-2") throw error;
      return undefined;
    },
  };
  const look = () => deleteSatellite.look({ kind: LinstorSatellite }, { client: client as never, settings: {} });
  const { facts, failures } = await partly(look);
  const decisions = deleteSatellite.decide(facts, now, {});
  expect(decisions.map((one) => [one.do, one.about.metadata.name])).toEqual([
    ["write", "node-1"],
    ["write", "node-3"],
  ]);
  expect(failures).toEqual([{ object: { kind: LinstorSatellite, name: "node-2" }, error }]);
});
