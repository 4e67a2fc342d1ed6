import { describe, expect, test } from "vitest";
import {
  createPool,
  setNodeProperties,
  setPoolProperties,
} from "../../../functions/satellite/lib/configuration/commands.ts";
import { storagePool } from "../../../functions/satellite/lib/linstor/objects.ts";
import { aNode } from "../../../functions/satellite/lib/testing/data.ts";
import { aSatellite, aSeen, now } from "../../../functions/satellite/lib/testing/seen.ts";
import { syncPools } from "../../../functions/satellite/sync-pools/rule.ts";
import { exchange } from "./recordings.ts";
import { sent } from "./sent.ts";

const at = undefined;
const backing = { provider: "FILE_THIN", storage: "/srv/pool" };
const create = createPool({ at, node: "node-1", pool: "pool1", backing, changes: { set: { "Aux/tier": "fast" } } });

describe("what LINSTOR has answered when pools were made", () => {
  test("one that its satellite took gets its properties", async () => {
    const bodies = await sent(create, ["pool-create", "pool-create"], ["pool-create", "pool-props-set"]);
    expect(bodies).toEqual([
      exchange("pool-create", "pool-create").request.body,
      exchange("pool-create", "pool-props-set").request.body,
    ]);
  });

  // Success entries come before the error, and the pool stays listed as if it were well.
  test.each(["pool-create-bad-path", "pool-create-unsupported-provider", "pool-create-offline-node"])(
    "%s: a person must look, and it gets no properties",
    (operation) => expect(sent(create, ["pool-create", operation])).rejects.toMatchObject({ failure: "refused" }),
  );

  test("one that there is already is left to the next look", async () => {
    expect(await sent(create, ["pool-create", "pool-create-already-exists"])).toHaveLength(1);
  });

  test("properties of pools and nodes are set and removed as was recorded", async () => {
    const tier = setPoolProperties({ at, node: "node-1", pool: "pool1", changes: { set: { "Aux/tier": "fast" } } });
    await sent(tier, ["pool-create", "pool-props-set"]);
    const remove = setNodeProperties({ at, node: "node-1", changes: { remove: ["Aux/zone", "Aux/never-set"] } });
    await sent(remove, ["node-properties", "node-props-delete"]);
    const invalid = setNodeProperties({ at, node: "node-1", changes: { set: { NoSuchKey: "1" } } });
    await expect(sent(invalid, ["node-properties", "node-props-invalid-key"])).rejects.toMatchObject({
      failure: "refused",
    });
  });
});

test("a pool that a satellite has refused, as LINSTOR then listed it, is not taken for one", () => {
  const listed = exchange("pool-read", "pool-view").response.body as { storage_pool_name: string; node_name: string }[];
  const refused = listed.filter((one) => one.storage_pool_name === "pool2" && one.node_name === "node-3");
  expect(refused).toHaveLength(1);
  const satellite = aSatellite({ deleting: false, record: false, metadata: { name: "node-3" } });
  const storagePools = [{ name: "pool2", fileThinPool: { directory: "/srv/absent" } }];
  const seen = aSeen({
    satellite: { ...satellite, spec: { ...satellite.spec, storagePools } as never },
    leaving: false,
    node: { apiVersion: "v1", kind: "Node", metadata: { name: "node-3", uid: "n", resourceVersion: "1" } },
  });
  const found = {
    node: aNode("node-3"),
    pools: refused.map((one) => storagePool.parse(one)),
    resources: [],
    properties: {},
  };
  const [decision] = syncPools.decide({ ...seen, found }, now, syncPools.settings.parse({}));
  expect(decision).toMatchObject({ do: "write", step: { name: "refused" } });
});
