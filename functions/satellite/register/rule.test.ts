import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DaemonSet, LinstorSatellite } from "../lib/kinds.ts";
import { linstorNode } from "../lib/linstor/objects.ts";
import { linstorKey } from "../lib/linstor-note.ts";
import { registrationKey } from "../lib/noted-calls.ts";
import { aSatellite, aSeen, hintOf, now } from "../lib/testing/seen.ts";
import { type Facts, register } from "./rule.ts";

const settings = register.settings.parse({});
const k8sNode = { apiVersion: "v1", kind: "Node", metadata: { name: "node-1", uid: "n1", resourceVersion: "1" } };
const alive = (metadata: object = {}, spec: object = {}) => {
  const satellite = aSatellite({ deleting: false, record: false, metadata });
  return { ...satellite, spec: { ...satellite.spec, ...spec } as never };
};
const listed = (
  more: { name?: string; address?: string; connection?: string; flags?: string[]; type?: string; props?: object } = {},
) =>
  linstorNode.parse({
    name: more.name ?? "node-1",
    type: more.type ?? "SATELLITE",
    flags: more.flags ?? [],
    props: more.props ?? { "Aux/piraeus.io/managed-by": "holdfast" },
    connection_status: more.connection ?? "ONLINE",
    net_interfaces: [
      {
        name: "default-ipv4",
        address: more.address ?? "10.0.0.1",
        satellite_port: 3366,
        satellite_encryption_type: "PLAIN",
        is_active: true,
      },
    ],
  });
const elsewhere = { address: "10.0.0.9", connection: "OFFLINE" };
const seen = (more: Partial<Exclude<Facts, undefined>> = {}): Facts => ({
  ...aSeen({ satellite: alive(), leaving: false, node: k8sNode }),
  addresses: ["10.0.0.1"],
  nodes: [],
  url: "http://linstor:3370",
  ...more,
});
const decide = (more: Partial<Exclude<Facts, undefined>> = {}) => register.decide(seen(more), now, settings)[0];
/** The satellite with the note of calls that were sent, the last one so many milliseconds ago. */
const called = (ago: number, calls = 1) => {
  const note = JSON.stringify({ v: 1, uid: "u1", called: new Date(now - ago).toISOString(), calls });
  return alive({ annotations: { [registrationKey]: note } });
};
const refused = { do: "write", step: { name: "refused" } };
const reports = (decision: ReturnType<typeof decide>) => JSON.stringify(decision);

test("calls LINSTOR with name, type, address and a witness, and writes the intent down before, guarded", () => {
  const annotations = { [registrationKey]: expect.stringContaining("u1") };
  expect(decide()).toMatchObject({
    do: "call",
    writes: [{ patch: { metadata: { uid: "u1", resourceVersion: "7", annotations } } }],
    command: {
      name: "register a node",
      input: {
        node: "node-1",
        address: { name: "default", address: "10.0.0.1", port: 3366, encryption: "Plain" },
        props: { "Aux/piraeus.io/managed-by": "holdfast" },
      },
    },
  });
});

test("with certificates it is the other port", () => {
  const decision = decide({ satellite: alive({}, { internalTLS: {} }) });
  expect(decision).toMatchObject({ command: { input: { address: { port: 3367, encryption: "SSL" } } } });
});

test.each([
  [undefined, "10.0.0.1"],
  [["IPv6"], "fd00::1"],
  [["IPv6", "IPv4"], "fd00::1"],
])("of the addresses of families %j it takes %s", (ipFamilies, address) => {
  const decision = decide({ addresses: ["10.0.0.1", "fd00::1"], satellite: alive({}, { ipFamilies }) });
  expect(decision).toMatchObject({ command: { input: { address: { address } } } });
});

describe("what leaves is not registered again", () => {
  const seenDeleting = { "holdfast.dev/machine": '{"namespace":"capi","name":"worker","deleting":true}' };
  const record = { record: JSON.parse('{"v":1,"uid":"u1","begun":"2025-12-31T23:00:00Z"}') };
  test.each<[string, Partial<Exclude<Facts, undefined>>]>([
    ["it is being deleted", { satellite: aSatellite({ record: false }) }],
    ["its Machine is being deleted under Evacuate", { satellite: alive({ annotations: seenDeleting }) }],
    ["its evacuation has begun", record],
    ["its Node is gone", { node: undefined }],
    ["its LinstorCluster is gone", { satellite: alive({}, { clusterRef: { name: "gone" } }) }],
    ["piraeus-operator writes it", { unmanagedReason: "The operator writes it." }],
  ])("%s", (_what, more) => {
    expect(decide({ ...more, nodes: undefined })).toMatchObject({ do: "leave" });
    // Regardless of what was asked before.
    expect(decide({ ...more, nodes: [] })).toMatchObject({ do: "leave" });
    expect(decide({ ...more, nodes: [listed()] })).toMatchObject({ do: "leave" });
  });

  test.each([
    ["Evacuate", { do: "call", command: { name: "change a node's address" } }],
    ["Delete", { do: "leave" }],
    ["Retain", { do: "leave" }],
  ])("nor connected again at its pod's new address, but under Evacuate: %s", (policy, decision) => {
    const satellite = aSatellite({ policy, record: false });
    const nodes = [listed(elsewhere)];
    expect(decide({ satellite, policy: policy as "Evacuate", nodes })).toMatchObject(decision);
  });
});

describe("a name that", () => {
  const named = (name: string, policy = "Evacuate") =>
    decide({
      satellite: { ...alive({ name }), spec: { clusterRef: {}, deletionPolicy: policy as "Evacuate" } },
      policy: policy as "Evacuate",
    });
  test("has a part of more than 63 characters is refused before LINSTOR is asked to", () => {
    expect(reports(named("n".repeat(64), "Retain"))).toContain("LINSTOR takes 63");
    expect(named("n".repeat(64), "Retain")).toMatchObject(refused);
  });
  test("is longer in all is refused where it is to be evacuated one day, and no sooner", () => {
    const long = `${"n".repeat(40)}.${"n".repeat(40)}`;
    expect(named(long)).toMatchObject(refused);
    expect(named(long, "Retain")?.do).toBe("call");
  });
});

describe("a node that there is", () => {
  test("at the same address and connected: the satellite is Available, once", () => {
    const decision = decide({ nodes: [listed()] });
    expect(decision).toMatchObject({ do: "write" });
    expect(reports(decision)).toContain('"status":"True","reason":"AsExpected"');
    const patches =
      decision?.do === "write" ? decision.writes.map((write) => (write.verb === "patch" ? write.patch : {})) : [];
    const { status, metadata } = Object.assign({}, ...patches) as { status: never; metadata: { annotations: object } };
    expect(metadata.annotations).toEqual({ [linstorKey]: expect.stringContaining("http://linstor:3370") });
    const again = { ...alive(metadata), status };
    expect(decide({ satellite: again, nodes: [listed()] })?.do).toBe("leave");
  });

  test("at the same address and connected, that no cluster has marked as its own: it is marked as this one's", () => {
    expect(decide({ nodes: [listed({ props: {} })] })).toMatchObject({
      do: "call",
      command: { input: { node: "node-1", changes: { set: { "Aux/piraeus.io/managed-by": "holdfast" } } } },
    });
    // Without a pod it is not known to be this satellite's.
    expect(reports(decide({ addresses: [], nodes: [listed({ props: {} })] }))).toContain('"status":"False"');
  });

  test("at the same address and not connected: it says so, and looks again", () => {
    const decision = decide({ nodes: [listed({ connection: "OFFLINE" })] });
    expect(decision).toMatchObject({ do: "write", step: { name: "waiting" }, next: now + 10_000 });
    expect(reports(decision)).toContain("its connection is OFFLINE");
  });

  test("at another address, offline and registered for Kubernetes: LINSTOR looks for it where its pod is", () => {
    for (const props of [{ "Aux/piraeus.io/managed-by": "holdfast" }, { "Aux/piraeus.io/last-applied": "[]" }])
      expect(decide({ nodes: [listed({ ...elsewhere, props })] })).toMatchObject({
        do: "call",
        command: {
          name: "change a node's address",
          input: { node: "node-1", address: { name: "default-ipv4", address: "10.0.0.1", port: 3366 } },
        },
      });
  });

  test.each<[string, Parameters<typeof listed>[0], RegExp]>([
    ["at another address and connected", { address: "10.0.0.9" }, /Another satellite answers there/],
    ["at another address and of another cluster", { ...elsewhere, props: {} }, /Nothing says/],
    ["of another type", { type: "CONTROLLER" }, /type CONTROLLER/],
  ])("%s is refused, with what to do", (_what, node, message) => {
    const decision = decide({ nodes: [listed(node)] });
    expect(decision).toMatchObject(refused);
    expect(reports(decision)).toMatch(message);
    expect(reports(decision)).toContain('"status":"False","reason":"Error"');
  });

  test.each([
    [["DELETE"], /is deleting/],
    [["DELETE", "EVICTED"], /has evicted/],
  ])("with the flags %j is left to come right", (flags, message) => {
    const decision = decide({ nodes: [listed({ ...elsewhere, flags })] });
    expect(decision?.message).toMatch(message);
    expect(decision?.do).toBe("write");
  });

  test("of another name has the address: nothing is called", () => {
    for (const own of [[], [listed(elsewhere)]]) {
      const decision = decide({ nodes: [...own, listed({ name: "node-2", connection: "OFFLINE" })] });
      expect(decision).toMatchObject(refused);
      expect(reports(decision)).toContain("node-2");
    }
  });

  test("is found in any case", () => expect(decide({ nodes: [listed({ name: "NODE-1" })] })?.do).toBe("write"));
});

test("a call that was just sent is not sent again, and one of long ago is", () => {
  expect(decide({ satellite: called(5_000) })?.do).toBe("write");
  expect(decide({ satellite: called(60_000) })?.do).toBe("call");
  expect(decide({ satellite: called(-3_600_000) })?.do).toBe("call");
});

test("a call that LINSTOR refuses is noted as refused, and does not count as one under way", () => {
  const noteOf = (annotation?: object) => {
    const annotations = annotation ? { [registrationKey]: JSON.stringify(annotation) } : {};
    const decision = decide({ satellite: alive({ annotations }) });
    const refused = decision?.do === "call" && decision.refused?.verb === "patch" ? decision.refused.patch : [];
    return (refused as { path: string; value: string }[]).flatMap(({ path, value }) =>
      path === "/metadata/annotations/holdfast.dev~1registration" ? [JSON.parse(value)] : [],
    );
  };
  const note = { v: 1, uid: "u1", called: new Date(now).toISOString(), calls: 1 };
  expect(noteOf()).toEqual([note, { ...note, refused: true }]);
  const before = { ...note, called: new Date(now - 60_000).toISOString() };
  expect(noteOf({ ...before, refused: true })).toEqual([note, { ...note, refused: true }]);
  expect(noteOf(before)[0]).toEqual({ ...note, calls: 2 });
});

test("a call whose effect is seen is over, unless another one was sent before it", () => {
  expect(reports(decide({ satellite: called(0), nodes: [listed()] }))).toContain(`"${registrationKey}":null`);
  expect(reports(decide({ satellite: called(0, 2), nodes: [listed()] }))).not.toContain(`"${registrationKey}":null`);
  expect(reports(decide({ satellite: called(0), nodes: [] }))).not.toContain(`"${registrationKey}":null`);
});

test("without a pod nothing is registered", () =>
  expect(decide({ addresses: [] })).toMatchObject({ do: "write", step: { name: "waiting" } }));

test(
  "with any list of LINSTOR, an address is never given to two nodes, and a node that is connected elsewhere is not " +
    "moved",
  () => {
    const node = fc.record({
      name: fc.constantFrom("node-1", "node-2"),
      address: fc.constantFrom("10.0.0.1", "10.0.0.2"),
      connection: fc.constantFrom("ONLINE", "OFFLINE", "CONNECTED"),
      flags: fc.subarray(["DELETE", "EVICTED", "EVACUATE"]),
      props: fc.constantFrom({}, { "Aux/piraeus.io/managed-by": "x" }),
    });
    fc.assert(
      fc.property(fc.uniqueArray(node, { selector: ({ name }) => name }), (given) => {
        const decision = decide({ nodes: given.map(listed) });
        if (decision?.do !== "call") return;
        expect(given.filter(({ name, address }) => name !== "node-1" && address === "10.0.0.1")).toEqual([]);
        const own = given.find(({ name }) => name === "node-1");
        // It is at the address of the pod, and no cluster has marked it.
        if (decision.command.name === "set properties of a node") {
          expect(own).toMatchObject({ address: "10.0.0.1", connection: "ONLINE", props: {} });
          return;
        }
        expect(decision.command.name).toBe(own ? "change a node's address" : "register a node");
        expect(own?.connection ?? "OFFLINE").toBe("OFFLINE");
      }),
    );
  },
);

test("looks at the satellite of its own event and of its DaemonSet's", () => {
  const owned = {
    ...k8sNode,
    kind: "DaemonSet",
    metadata: {
      ...k8sNode.metadata,
      name: "x",
      ownerReferences: [{ apiVersion: "piraeus.io/v1", kind: "LinstorSatellite", name: "node-3", uid: "u" }],
    },
  };
  const hints = [
    hintOf(LinstorSatellite, "update", alive()),
    hintOf(LinstorSatellite, "update", aSatellite({ record: false })),
    hintOf(DaemonSet, "update", "linstor-satellite.node-2"),
    hintOf(DaemonSet, "update", "coredns"),
    hintOf(DaemonSet, "update", owned),
    hintOf(DaemonSet, "update", { ...owned, metadata: { ...owned.metadata, ownerReferences: [] } }),
  ];
  const names = hints.map((hint) => register.subjects(hint, settings).map(({ name }) => name));
  expect(names).toEqual([["node-1"], [], ["node-2"], [], ["node-3"], []]);
});

describe("a satellite whose node was in another LINSTOR until now", () => {
  const note = JSON.stringify({ v: 1, uid: "u1", url: "http://former:3370", node: "a" });
  const was = alive({ annotations: { [linstorKey]: note } });
  const offline = { ...listed({ connection: "OFFLINE" }), uuid: "b" };

  test("is registered in the one that it has now, which is noted before the call", () => {
    const decision = decide({ satellite: was, controller: "http://linstor" });
    expect(decision).toMatchObject({ do: "call", command: { input: { at: "http://linstor", node: "node-1" } } });
    const [write] = (decision?.do === "call" && decision.writes) || [];
    const noted = { [linstorKey]: JSON.stringify({ v: 1, uid: "u1", url: "http://linstor:3370" }) };
    expect(write).toMatchObject({ patch: { metadata: { annotations: noted } } });
  });

  test("does not take a node of its name there for its own, unless it has its uuid", () => {
    const addresses = ["10.0.0.9"];
    const message = expect.stringContaining("in another LINSTOR until now");
    expect(decide({ satellite: was, nodes: [offline], addresses })).toMatchObject({ ...refused, message });
    expect(decide({ satellite: was, nodes: [{ ...offline, uuid: "a" }], addresses })).toMatchObject({
      command: { name: "change a node's address" },
    });
    const online = { ...offline, connection: "ONLINE" };
    expect(decide({ satellite: was, nodes: [online], addresses: [] })).toMatchObject({ step: { name: "waiting" } });
  });
});
