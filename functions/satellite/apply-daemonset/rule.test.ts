import { describe, expect, test } from "vitest";
import { ApiError } from "../../../shared/kubernetes/api-error.ts";
import { type Kind, Namespace } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { partly } from "../../../shared/look-at-each.ts";
import { DaemonSet, LinstorSatellite } from "../lib/kinds.ts";
import { satelliteFinalizer } from "../lib/satellite.ts";
import { aSatellite, aSeen, hintOf, now } from "../lib/testing/seen.ts";
import { imageOf } from "../lib/workload/daemon-set.ts";
import { applyDaemonset, type Workload } from "./rule.ts";

const settings = applyDaemonset.settings.parse({});
const node = { apiVersion: "v1", kind: "Node", metadata: { name: "node-1", uid: "n1", resourceVersion: "1" } };
const alive = (spec: object = {}, metadata: object = {}) => {
  const satellite = aSatellite({ deleting: false, record: false, metadata });
  return { ...satellite, spec: { ...satellite.spec, ...spec } as never };
};
const seenOf = (satellite = alive(), more: object = {}) => aSeen({ satellite, leaving: false, node, ...more });
const decide = (facts: Partial<Workload> = {}) =>
  applyDaemonset.decide(
    [{ seen: seenOf(), daemonSet: undefined, namespace: "ns", image: "i:v1", ...facts }],
    now,
    settings,
  )[0];
const patchesOf = (decision: ReturnType<typeof decide>) =>
  decision?.do === "write"
    ? decision.writes.flatMap((write) => (write.verb === "patch" ? [write.patch as never] : []))
    : [];
interface Applied {
  metadata: { ownerReferences?: object[]; uid?: string; annotations: Record<string, string>; labels: object };
  data: Record<string, string>;
  spec: {
    selector: object;
    template: {
      metadata: { labels: object };
      spec: { containers: never[]; volumes: { name: string }[]; tolerations: object[] };
    };
  };
}
const appliedBy = (decision: ReturnType<typeof decide>) => {
  const [config, daemonSet] = patchesOf(decision).filter((patch) => "kind" in patch) as unknown as Applied[];
  return { config: config as Applied, daemonSet: daemonSet as Applied };
};
/** What the API server would have after that. */
const live = (decision: ReturnType<typeof decide>, more: object = {}): KubernetesObject => {
  const { daemonSet } = appliedBy(decision);
  const stored = { name: "linstor-satellite.node-1", namespace: "ns", uid: "d1", resourceVersion: "9" };
  const metadata = { ...daemonSet.metadata, ...stored, ...more };
  return { ...daemonSet, apiVersion: "apps/v1", kind: "DaemonSet", metadata } as never;
};

test.each([
  ["absent", "does not exist"],
  ["deleted", "is being deleted"],
] as const)("a namespace that is %s is said once, with what to do, and nothing is applied", (homeless, what) => {
  const decision = decide({ image: undefined, homeless });
  expect(decision).toMatchObject({ do: "write", step: { name: "refused" }, writes: [{ name: "node-1" }] });
  expect(decision?.message).toContain(`the namespace ns, which ${what}: create it, or set SATELLITE_NAMESPACE`);
  expect(decision).not.toHaveProperty("next");
});

test("applies a DaemonSet and its ConfigMap that go with the satellite, on its Node alone, with any taints", () => {
  const decision = decide();
  expect(decision).toMatchObject({
    do: "write",
    writes: [
      { name: "node-1", options: { subresource: "status" } },
      { kind: { kind: "ConfigMap" }, type: "apply", namespace: "ns", name: "linstor-satellite.node-1" },
      { kind: { kind: "DaemonSet" }, type: "apply", namespace: "ns", name: "linstor-satellite.node-1" },
    ],
  });
  const { daemonSet } = appliedBy(decision);
  expect(daemonSet.metadata.ownerReferences).toMatchObject([{ kind: "LinstorSatellite", uid: "u1", controller: true }]);
  expect(daemonSet.metadata.labels).toMatchObject({ "piraeus.io/linstor-satellite": "u1" });
  expect(daemonSet.spec.template.spec.tolerations).toEqual([{ operator: "Exists" }]);
  expect(JSON.stringify(daemonSet.spec)).toContain('"key":"metadata.name","operator":"In","values":["node-1"]');
  expect(daemonSet.spec.template.spec.containers).toMatchObject([
    {
      image: "i:v1",
      args: ["startSatellite"],
      ports: [{ containerPort: 3366 }],
      securityContext: { privileged: true },
    },
  ]);
});

test("with certificates it listens on the other port, and has them", () => {
  const { config, daemonSet } = appliedBy(decide({ seen: seenOf(alive({ internalTLS: {} })) }));
  expect(config.data["linstor_satellite.toml"]).toContain("port = 3367");
  expect(JSON.stringify(daemonSet.spec.template.spec)).toContain('"secretName":"node-1-tls"');
  const without = appliedBy(decide());
  expect(without.config.data["linstor_satellite.toml"]).toBe("");
  // Another configuration is another pod.
  expect(without.daemonSet.spec.template.metadata).not.toEqual(daemonSet.spec.template.metadata);
});

test("directories of pools are the Node's own", () => {
  const storagePools = [
    { name: "pool1", fileThinPool: {} },
    { name: "pool2", lvmPool: {} },
  ];
  const { daemonSet } = appliedBy(decide({ seen: seenOf(alive({ storagePools })) }));
  const text = JSON.stringify(daemonSet.spec.template.spec);
  expect(text).toContain(
    '{"name":"file-pool-0","hostPath":{"path":"/var/lib/linstor-pools/pool1","type":"DirectoryOrCreate"}}',
  );
  expect(text).toContain('"LOSETUP_CONTAINER_BIND_MOUNTS","value":"/var/lib/linstor-pools/pool1"');
});

test("what is as it should be is not written, and what was changed by hand is set back", () => {
  const there = live(decide());
  const message = "The DaemonSet is as the spec says.";
  const applied = { type: "Applied", status: "True", reason: "AsExpected", message };
  const conditions = [{ ...applied, lastTransitionTime: "x", observedGeneration: 2 }];
  const satellite = { ...alive(), status: { conditions } } as never;
  expect(decide({ seen: seenOf(satellite), daemonSet: there })?.do).toBe("leave");
  const { spec } = there as unknown as Applied;
  const changed = { ...there, spec: { ...spec, template: { ...spec.template, spec: { containers: [] } } } };
  expect(patchesOf(decide({ seen: seenOf(satellite), daemonSet: changed as never })).length).toBe(3);
});

describe("patches", () => {
  const withPatches = (...patches: object[]) => decide({ seen: seenOf(alive({ patches })) });
  const target = { kind: "DaemonSet", name: "linstor-satellite" };
  test("override all, one after the other, and those for other objects are passed over", () => {
    const container = (image: string) => ({
      spec: { template: { spec: { containers: [{ name: "linstor-satellite", image }] } } },
    });
    const { daemonSet, config } = appliedBy(
      withPatches(
        { target, patch: JSON.stringify(container("a")) },
        {
          patch:
            "kind: DaemonSet\nmetadata: {name: linstor-satellite, labels: {x: y}}\n" +
            "spec: {template: {spec: {hostNetwork: true}}}",
        },
        { target: { kind: "Deployment", name: "linstor-controller" }, patch: JSON.stringify(container("b")) },
        { target: { kind: "ConfigMap", name: "satellite-config" }, patch: "data: {more.toml: '[x]'}" },
      ),
    );
    expect(daemonSet.spec.template.spec).toMatchObject({ hostNetwork: true, containers: [{ image: "a" }] });
    expect(daemonSet.metadata.labels).toMatchObject({ x: "y" });
    expect(config.data).toEqual({ "linstor_satellite.toml": "", "more.toml": "[x]" });
  });
  describe("JSON patches", () => {
    const json = (...operations: object[]) => ({ target, patch: JSON.stringify(operations) });
    test("are lists, as JSON or YAML, and are applied in their order among the others", () => {
      const { daemonSet, config } = appliedBy(
        withPatches(
          json({ op: "replace", path: "/spec/template/spec/hostNetwork", value: true }),
          { target, patch: "spec: {template: {spec: {containers: [{name: sidecar, image: s}]}}}" },
          { target, patch: "- op: replace\n  path: /spec/template/spec/containers/1/image\n  value: j" },
          json({ op: "add", path: "/spec/template/spec/tolerations/-", value: { key: "a" } }),
          { target: { kind: "ConfigMap" }, patch: '[{"op": "add", "path": "/data/more.toml", "value": "[x]"}]' },
          { target: { kind: "DaemonSet", name: "another" }, patch: '[{"op": "remove", "path": "/none"}]' },
        ),
      );
      expect(daemonSet.spec.template.spec).toMatchObject({
        hostNetwork: true,
        containers: [{ image: "s" }, { image: "j" }],
        tolerations: [{ operator: "Exists" }, { key: "a" }],
      });
      expect(config.data).toEqual({ "linstor_satellite.toml": "", "more.toml": "[x]" });
    });
    test.each([
      [{ op: "remove", path: "/spec/none" }, /operation 2 \(remove \/spec\/none\) finds nothing there to remove/],
      [{ op: "test", path: "/kind", value: "Pod" }, /expects "Pod" and finds "DaemonSet"/],
      [{ op: "add", path: "/spec/none/deep", value: 1 }, /neither an object nor a list at \/spec\/none/],
      [{ op: "replace", path: "/metadata/name", value: "x" }, /kind, name, namespace or the label/],
      [{ op: "remove", path: "/metadata" }, /kind, name, namespace or the label/],
      [{ op: "add", path: "/metadata/labels", value: {} }, /label piraeus.io\/linstor-satellite, which have to stay/],
      [{ op: "replace", path: "", value: null }, /have to stay/],
      [7, /neither a strategic merge patch nor a JSON patch/],
    ])("with %j nothing of it is applied", (operation, message) => {
      const first = { op: "replace", path: "/spec/template/spec/hostNetwork", value: true };
      const decision = withPatches(json(first, operation as object));
      expect(decision?.message).toMatch(message);
      expect(decision?.message).toMatch(/^Patch 1 of the satellite cannot be applied.*Correct it in the Linstor/);
      expect(decision).toMatchObject({ do: "write", step: { name: "refused" } });
      expect(appliedBy(decision).daemonSet).toBeUndefined();
    });
  });

  const ofPod = { kind: "Pod", name: "satellite" };
  test.each([
    ["kind: Pod\nmetadata: {name: satellite, labels: {a: b}}\nspec: {hostNetwork: true}", undefined],
    ["metadata: {labels: {a: b}}\nspec: {hostNetwork: true}", ofPod],
    [
      '[{"op":"add","path":"/metadata/labels/a","value":"b"},{"op":"add","path":"/spec/hostNetwork","value":true}]',
      ofPod,
    ],
  ])("%s for the Pod of earlier operators is one of the DaemonSet's template", (patch, pod) => {
    const { daemonSet } = appliedBy(withPatches({ patch, ...(pod ? { target: pod } : {}) }));
    expect(daemonSet.spec.template).toMatchObject({ metadata: { labels: { a: "b" } }, spec: { hostNetwork: true } });
  });

  test.each([
    [{ group: "apps", version: "v1" }, true],
    [{ group: "batch" }, false],
    [{ version: "v2" }, false],
    [{ kind: "Daemon.*" }, true],
    [{ kind: "Daemon" }, false],
    [{ name: "linstor-.*|x" }, true],
    [{ name: "linstor" }, false],
    [{ namespace: "n." }, true],
    [{ namespace: "other" }, false],
    [{ labelSelector: "app.kubernetes.io/component=linstor-satellite, !other" }, true],
    [{ labelSelector: "app.kubernetes.io/component in (x, linstor-satellite)" }, true],
    [{ labelSelector: "app.kubernetes.io/component notin (x, linstor-satellite)" }, false],
    [{ annotationSelector: "example.com/a" }, false],
  ])("a target of %j selects the DaemonSet: %s", (target, expected) => {
    const { daemonSet } = appliedBy(withPatches({ target, patch: "metadata: {annotations: {selected: here}}" }));
    expect("selected" in daemonSet.metadata.annotations).toBe(expected);
  });

  test("data of the ConfigMap may go", () => {
    const { config } = appliedBy(withPatches({ target: { kind: "ConfigMap" }, patch: "data: null" }));
    expect(config).not.toHaveProperty("data");
  });

  test.each([
    ["spec: [", {}, /is no YAML/],
    ["text", {}, /neither a strategic merge patch nor a JSON patch/],
    ["spec: {template: {spec: {containers: [{image: x}]}}}", {}, /does not contain declared merge key: name/],
    ["spec: {template: {$patch: scatter}}", {}, /unknown patch type: scatter/],
    ["spec: {$retainKeys: [x]}", {}, /directive \$retainKeys/],
    ["metadata: {labels: {piraeus.io/linstor-satellite: x}}", {}, /have to stay/],
    ["spec: {}", { name: "(" }, /name of its target is no regular expression: \(/],
    ["spec: {}", { labelSelector: "a ~ b" }, /\\"a ~ b\\" cannot be read/],
    ["spec: {}", undefined, /needs a kind, or a target/],
    ["[{op: add, path: /spec/paused, value: true}]", undefined, /is a JSON patch, and needs a target/],
  ])("%s for %j is said, and nothing is applied", (patch, selector, message) => {
    const decision = withPatches({ patch, ...(selector ? { target: { ...target, ...selector } } : {}) });
    expect(decision).toMatchObject({ do: "write", step: { name: "refused" } });
    expect(JSON.stringify(decision)).toMatch(message);
    expect(appliedBy(decision).daemonSet).toBeUndefined();
  });
});

describe("while it is being deleted", () => {
  const deleting = (policy: string, metadata: object = {}) =>
    aSeen({ satellite: aSatellite({ policy, record: false, metadata }), policy: policy as "Retain", node });
  const there = live(decide());
  test.each(["Evacuate", "Retain"])("under %s its satellite lives as long as the finalizer is there", (policy) => {
    expect(appliedBy(decide({ seen: deleting(policy) })).daemonSet).toBeDefined();
    expect(decide({ seen: deleting(policy, { finalizers: [] }), daemonSet: there })?.do).toBe("leave");
  });
  test("from the outside in, nothing of it belongs to it any more", () => {
    const seen = deleting("Evacuate", { finalizers: ["foregroundDeletion", satelliteFinalizer] });
    expect(appliedBy(decide({ seen, daemonSet: there })).daemonSet.metadata.ownerReferences).toBeUndefined();
  });
  test("under Delete it is stopped, guarded, whether or not the Node is there", () => {
    for (const at of [node, undefined])
      expect(decide({ seen: { ...deleting("Delete"), node: at }, daemonSet: there })).toMatchObject({
        do: "write",
        writes: [{ verb: "delete", name: "linstor-satellite.node-1", options: { uid: "d1", resourceVersion: "9" } }],
      });
    expect(decide({ seen: deleting("Delete") })?.do).toBe("leave");
  });
});

test("when it is gone, what it has left without an owner is deleted, and nothing else", () => {
  const there = live(decide());
  const { ownerReferences: _, ...orphaned } = there.metadata;
  expect(decide({ seen: undefined, daemonSet: there })?.do).toBe("leave");
  expect(decide({ seen: undefined, daemonSet: { ...there, metadata: orphaned } })).toMatchObject({
    do: "write",
    writes: [{ verb: "delete", options: { uid: "d1" } }],
  });
  const foreign = { ...there, metadata: { ...orphaned, labels: {} } };
  expect(decide({ seen: undefined, daemonSet: foreign })?.do).toBe("leave");
});

test("the DaemonSet of an earlier satellite of the name is waited for, and never taken over", () => {
  const there = live(decide(), { labels: { "piraeus.io/linstor-satellite": "u0" } });
  const decision = decide({ daemonSet: there });
  expect(decision).toMatchObject({ do: "write", step: { name: "waiting" } });
  expect(appliedBy(decision).daemonSet).toBeUndefined();
});

test("one that piraeus-operator has made for it keeps its selector", () => {
  const there = live(decide());
  const selector = {
    matchLabels: { "app.kubernetes.io/instance": "linstorcluster", "piraeus.io/linstor-satellite": "u1" },
  };
  const operators = { ...there, spec: { selector } };
  const { daemonSet } = appliedBy(decide({ daemonSet: operators as never }));
  expect(daemonSet.spec.selector).toEqual(selector);
  expect(daemonSet.spec.template.metadata.labels).toMatchObject(selector.matchLabels);
  expect(daemonSet.metadata.uid).toBe("d1");
});

test("it is held before it gets a workload", () => {
  const decision = decide({ seen: seenOf(alive({}, { finalizers: [] })) });
  expect(JSON.stringify(decision)).toContain(satelliteFinalizer);
  expect(appliedBy(decision).daemonSet).toBeUndefined();
});

test.each<[string, object]>([
  ["piraeus-operator writes it", { unmanagedReason: "The operator writes it." }],
  ["its Node is gone", { node: undefined }],
])("nothing is applied when %s", (_what, more) => expect(decide({ seen: seenOf(alive(), more) })?.do).toBe("leave"));

const piraeus = "quay.io/piraeusdatastore/piraeus-server";
test.each([
  [piraeus, undefined, `${piraeus}:v1.33.2`],
  [piraeus, "registry.example:5000/x/", "registry.example:5000/x/piraeus-server:v1.33.2"],
  ["registry.example:5000/satellite", undefined, "registry.example:5000/satellite:v1.33.2"],
  ["a/satellite:v1", undefined, "a/satellite:v1"],
  ["a/satellite@sha256:0", "b", "b/satellite@sha256:0"],
])("the image %s in the repository %s is %s", (image, repository, expected) =>
  expect(imageOf(image, repository, "1.33.2")).toBe(expected),
);

test("looks at the satellite of its own events and of its DaemonSet's", () => {
  const there = live(decide());
  const { ownerReferences: _, ...orphaned } = there.metadata;
  const hints = [
    hintOf(LinstorSatellite, "delete", "node-2"),
    hintOf(LinstorSatellite, "update", alive()),
    hintOf(DaemonSet, "delete", there),
    hintOf(DaemonSet, "update", { ...there, metadata: orphaned }),
    hintOf(DaemonSet, "update", { ...there, metadata: { ...orphaned, labels: {} } }),
  ];
  const added = (name: string) =>
    hintOf(Namespace, "add", { ...node, ...Namespace, metadata: { ...node.metadata, name } });
  expect(applyDaemonset.subjects(added(settings.satelliteNamespace), settings)).toEqual([{ kind: LinstorSatellite }]);
  expect(applyDaemonset.subjects(added("default"), settings)).toEqual([]);
  const names = hints.map((hint) => applyDaemonset.subjects(hint, settings).map(({ name }) => name));
  expect(names).toEqual([["node-2"], ["node-1"], ["node-1"], ["node-1"], []]);
});

test("a JSON patch that leaves null, which the API server drops, is carried out once", () => {
  const patch = "[{op: add, path: /spec/template/spec/priorityClassName}]";
  const seen = seenOf(alive({ patches: [{ target: { kind: "DaemonSet" }, patch }] }));
  const { spec, ...rest } = live(decide({ seen })) as never as {
    spec: { template: { spec: Record<string, unknown> } };
  };
  const { priorityClassName, ...kept } = spec.template.spec;
  expect(priorityClassName).toBeNull();
  const daemonSet = { ...rest, spec: { ...spec, template: { ...spec.template, spec: kept } } } as never;
  expect(decide({ seen, daemonSet })?.message).toContain("is as the spec says");
});

test.each([
  [{ certManager: { name: "issuer" } }, "node-1-tls"],
  [{ certManager: { name: "issuer" }, secretName: "own" }, "own"],
])("says that the certificate of %j is for a person to have made", (internalTLS, secret) => {
  const satellite = alive({ internalTLS });
  const there = live(decide({ seen: seenOf(satellite) }));
  const said = `Holdfast requests no certificate from cert-manager. The pod starts when the Secret ${secret} exists.`;
  expect(decide({ seen: seenOf(satellite), daemonSet: there })?.message).toContain(said);
  expect(JSON.stringify(there)).toContain(`"secretName":"${secret}"`);
});

test("a satellite that the API server does not serve keeps no other from being looked at", async () => {
  const error = new ApiError("GET", { status: 500, reason: "InternalError", message: "a fault" });
  const client = {
    async *list() {
      yield* ["node-1", "node-2"].map((name) => ({ metadata: { name } }));
    },
    async get(kind: Kind, _namespace: string | undefined, name: string) {
      if (kind === LinstorSatellite && name === "node-1") throw error;
      return undefined;
    },
  };
  const look = () => applyDaemonset.look({ kind: LinstorSatellite }, { client, settings } as never);
  const { facts, failures } = await partly(look);
  expect(facts).toHaveLength(1);
  expect(failures).toEqual([{ object: { kind: LinstorSatellite, name: "node-1" }, error }]);
});
