import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { storagePool } from "../lib/linstor/objects.ts";
import { propertyChanges } from "../lib/pools/property-changes.ts";
import { backingOf } from "../lib/pools/wanted-pool.ts";
import { aCopy, aNode } from "../lib/testing/data.ts";
import { aSatellite, aSeen, now } from "../lib/testing/seen.ts";
import { type Facts, syncPools } from "./rule.ts";

const settings = syncPools.settings.parse({});
const node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "node-1", uid: "n1", resourceVersion: "1", labels: { zone: "a" } },
};
const alive = (spec: object = {}, metadata: object = {}) => {
  const satellite = aSatellite({ deleting: false, record: false, metadata });
  return { ...satellite, spec: { ...satellite.spec, ...spec } as never };
};
const linstorNode = (more: { props?: Record<string, string>; connection?: string; flags?: string[] } = {}) => ({
  ...aNode("node-1", more),
  props: { "Aux/piraeus.io/managed-by": "holdfast", ...more.props },
  providers: ["DISKLESS", "FILE", "FILE_THIN", "LVM"],
});
const aPool = (name: string, props: Record<string, string>, more: object = {}) =>
  storagePool.parse({ storage_pool_name: name, node_name: "node-1", provider_kind: "FILE_THIN", props, ...more });
const applied = { "Aux/piraeus.io/last-applied": '["StorDriver/StorPoolName"]', "StorDriver/StorPoolName": "/srv" };
const thin = { name: "pool1", fileThinPool: { directory: "/srv" } };
type Found = NonNullable<Exclude<Facts, undefined>["found"]>;

function decide(spec: object, found: Partial<Found> = {}, more: Partial<Exclude<Facts, undefined>> = {}) {
  const seen = aSeen({ satellite: alive(spec), leaving: false, node, ...more });
  const all = { node: linstorNode(), pools: [], resources: [], properties: {}, ...found };
  return syncPools.decide({ ...seen, found: all, ...more }, now, settings)[0];
}
const inputOf = (decision: ReturnType<typeof decide>) => (decision?.do === "call" ? decision.command.input : undefined);

describe("properties of the node", () => {
  const properties = [
    { name: "Aux/topology/zone", valueFrom: { nodeFieldRef: "metadata.labels['zone']" } },
    { name: "PrefNic", value: "default" },
  ];
  test("are set, and what was set before and is not wanted any more is removed", () => {
    const props = {
      "Aux/piraeus.io/last-applied": '["Aux/old","PrefNic"]',
      "Aux/old": "x",
      PrefNic: "default",
      "Aux/x": "y",
    };
    expect(inputOf(decide({ properties }, { node: linstorNode({ props }) }))).toEqual({
      node: "node-1",
      changes: {
        set: { "Aux/topology/zone": "a", "Aux/piraeus.io/last-applied": '["Aux/topology/zone","PrefNic"]' },
        remove: ["Aux/old"],
      },
    });
  });
  test("that are of no use are said, and nothing is called", () => {
    const decision = decide({ properties: [{ name: "p", valueFrom: { nodeFieldRef: "metadata" } }] });
    expect(decision).toMatchObject({ do: "write", step: { name: "refused" } });
    expect(JSON.stringify(decision)).toContain("Error: The property p");
  });
});

describe("a storage pool", () => {
  test.each<[object, string, string]>([
    [{ lvmPool: { volumeGroup: "vg" } }, "LVM", "vg"],
    [{ lvmPool: {} }, "LVM", "pool1"],
    [{ lvmThinPool: { volumeGroup: "vg", thinPool: "t" } }, "LVM_THIN", "vg/t"],
    [{ lvmThinPool: {} }, "LVM_THIN", "linstor_pool1/pool1"],
    [{ filePool: {} }, "FILE", "/var/lib/linstor-pools/pool1"],
    [{ fileThinPool: { directory: "/srv" } }, "FILE_THIN", "/srv"],
    [{ zfsPool: { zPool: "tank" } }, "ZFS", "tank"],
    [{ zfsThinPool: {} }, "ZFS_THIN", "pool1"],
  ])("%j is %s in %s", (kind, provider, storage) => {
    expect(backingOf({ name: "pool1", ...kind })).toEqual({ provider, storage });
  });

  test("that LINSTOR lacks is made, after the intent is written", () => {
    const decision = decide({ storagePools: [thin] });
    expect(decision).toMatchObject({
      do: "call",
      step: { name: "configuring", attempt: 1, details: { what: "pool pool1", generation: 2 } },
      command: { name: "create a storage pool" },
      next: now + 10_000,
    });
    expect(inputOf(decision)).toMatchObject({ pool: "pool1", backing: { provider: "FILE_THIN", storage: "/srv" } });
  });

  test("that is as the spec says makes the satellite Configured, and others stay and are named", () => {
    const present = [
      aPool("pool1", applied),
      aPool("old", applied),
      aPool("DfltDisklessStorPool", {}, { provider_kind: "DISKLESS" }),
    ];
    const decision = decide({ storagePools: [thin] }, { pools: present });
    expect(JSON.stringify(decision)).toMatch(/"status":"True","reason":"AsExpected".*does not name stay: old/);
    expect(decision?.do).toBe("write");
  });

  const isLeft = (pool: object, found: Partial<Found>, message: RegExp) => {
    const decision = decide({ storagePools: [pool] }, found);
    expect(decision).toMatchObject({ do: "write", step: { name: "refused" } });
    expect(JSON.stringify(decision)).toMatch(message);
  };
  test("of a kind that the satellite lacks is left to a person", () =>
    isLeft({ name: "pool1", zfsPool: {} }, {}, /does not offer ZFS/));
  test("of devices is left to a person", () =>
    isLeft({ name: "pool1", lvmPool: {}, source: { hostDevices: ["/dev/vdb"] } }, {}, /erases the devices.*vdb/));
  test("in other storage is left to a person", () =>
    isLeft(thin, { pools: [aPool("pool1", { ...applied, "StorDriver/StorPoolName": "/other" })] }, /in \/other/));
  test("of another kind is left to a person", () =>
    isLeft({ name: "pool1", lvmPool: {} }, { pools: [aPool("pool1", applied)] }, /never given other storage/));
  test("that the satellite has refused is left to a person", () =>
    isLeft(thin, { pools: [aPool("POOL1", { "StorDriver/StorPoolName": "/srv" })] }, /may have refused/));
  test("with an error is left to a person", () =>
    isLeft(
      thin,
      { pools: [aPool("pool1", applied, { reports: [{ ret_code: -4611686018427386906n, message: "No space" }] })] },
      /No space/,
    ));

  test("that holds volumes is one that the satellite has taken, also if a person made it", () => {
    const volume = { volume_number: 0, storage_pool_name: "pool1", state: { disk_state: "UpToDate" } };
    const resources = [aCopy("pvc-1", "node-1", "UpToDate", { volumes: [volume] })];
    const decision = decide(
      { storagePools: [thin] },
      { resources, pools: [aPool("pool1", { "StorDriver/StorPoolName": "/srv" })] },
    );
    expect(inputOf(decision)).toMatchObject({
      pool: "pool1",
      changes: { set: { "Aux/piraeus.io/last-applied": expect.any(String) } },
    });
  });
});

test("a call is repeated later and later, and at once for another generation", () => {
  const progress = (more: object) => {
    const text = {
      v: 1,
      uid: "u1",
      step: "configuring",
      since: "2025-12-31T00:00:00Z",
      because: "x",
      what: "pool pool1",
      ...more,
    };
    return {
      satellite: alive(
        { storagePools: [thin] },
        { annotations: { "holdfast.dev/satellite.sync-pools": JSON.stringify(text) } },
      ),
    };
  };
  const at = (ms: number) => new Date(now + ms).toISOString();
  expect(decide({}, {}, progress({ generation: 2, attempt: 1, next: at(5_000) }))?.do).toBe("wait");
  expect(decide({}, {}, progress({ generation: 1, attempt: 1, next: at(5_000) }))?.do).toBe("call");
  expect(decide({}, {}, progress({ generation: 2, attempt: 3, next: at(-1) }))).toMatchObject({ next: now + 80_000 });
  expect(decide({}, {}, progress({ generation: 2, attempt: 40, next: at(-1) }))).toMatchObject({ next: now + 600_000 });
  // A clock that was set back.
  expect(decide({}, {}, progress({ generation: 2, attempt: 1, next: at(86_400_000) }))?.do).toBe("call");
});

describe("under Retain", () => {
  const retains = (properties: Record<string, string>, more: object = {}) =>
    decide({ deletionPolicy: "Retain" }, { properties }, { policy: "Retain", ...more });
  test("LINSTOR is not to give up nodes by itself", () => {
    expect(retains({ "DrbdOptions/AutoEvictAllowEviction": "True" })).toMatchObject({
      do: "call",
      command: { name: "forbid the eviction of nodes" },
    });
    expect(retains({})?.do).toBe("call");
    expect(retains({ "DrbdOptions/AutoEvictAllowEviction": "false" })?.do).toBe("write");
  });
  test("unless the LinstorCluster says what it wants", () => {
    const properties = [{ name: "DrbdOptions/AutoEvictAllowEviction", value: "true" }];
    const cluster = {
      apiVersion: "piraeus.io/v1",
      kind: "LinstorCluster",
      metadata: node.metadata,
      spec: { properties },
    };
    expect(retains({}, { cluster })?.do).toBe("write");
  });
});

test.each<[string, Partial<Exclude<Facts, undefined>>]>([
  ["is being deleted", { satellite: aSatellite({ record: false }) }],
  [
    "leaves with its Machine",
    {
      satellite: alive(
        {},
        { annotations: { "holdfast.dev/machine": '{"namespace":"capi","name":"worker","deleting":true}' } },
      ),
    },
  ],
  ["is evacuated", { record: { v: 1, uid: "u1", begun: "2025-12-31T23:00:00Z" } }],
  ["has no Node", { node: undefined }],
  ["is the operator's", { unmanagedReason: "The operator writes it." }],
])("a satellite that %s is left as it is", (_what, more) => {
  expect(decide({ storagePools: [thin] }, {}, more)?.do).toBe("leave");
});

test.each([{ connection: "OFFLINE" }, { connection: "CONNECTED" }, { flags: ["EVACUATE"] }])(
  "of a node with %j nothing is known, and nothing is called",
  (more) => {
    const decision = decide({ storagePools: [thin] }, { node: linstorNode(more) });
    expect(JSON.stringify(decision)).toContain('"status":"Unknown","reason":"NotObserved"');
  },
);

test("changes of properties lead to what is wanted, and touch nothing of others", () => {
  const properties = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.constantFrom("1", "2"));
  const change = (present: Record<string, string>, changes: ReturnType<typeof propertyChanges>) => {
    const kept = Object.entries(present).filter(([key]) => !changes?.remove?.includes(key));
    return { ...Object.fromEntries(kept), ...changes?.set };
  };
  fc.assert(
    fc.property(properties, properties, properties, (others, first, second) => {
      const once = change(others, propertyChanges(others, first));
      const twice = change(once, propertyChanges(once, second));
      expect(propertyChanges(twice, second)).toBeUndefined();
      expect(twice).toMatchObject(second);
      const untouched = Object.entries(others).filter(([key]) => !(key in first) && !(key in second));
      expect(twice).toMatchObject(Object.fromEntries(untouched));
      for (const key of Object.keys(first)) if (!(key in second)) expect(twice).not.toHaveProperty(key);
    }),
  );
});
