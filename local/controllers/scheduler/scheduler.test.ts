import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "../../../shared/kubernetes/kind.ts";
import { conditionOf } from "../objects/condition.ts";
import type { PodObject } from "../objects/pod.ts";
import type { ClaimObject } from "../objects/storage.ts";
import { createClaim, createPod, openWorld, type World } from "../testing/world.ts";

describe("the scheduler", () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld({
      nodes: ["one", "two"],
      controllers: [
        "ephemeral-volume-controller",
        "garbage-collector-controller",
        "kube-scheduler",
        "kubelet",
        "persistentvolume-binder-controller",
        "persistentvolume-protection-controller",
        "persistentvolumeclaim-protection-controller",
      ],
    });
    await createClass("now");
    await createClass("late", { volumeBindingMode: "WaitForFirstConsumer" });
  });
  afterAll(() => world.close());

  const own = (name: string) => `${world.namespace}-${name}`;
  const createClass = (name: string, fields: object = {}) =>
    world.create(StorageClass, own(name), { provisioner: "kubernetes.io/host-path", ...fields });
  const claim = (name: string, storageClass: string, metadata: object = {}) =>
    createClaim(world, name, { storageClassName: own(storageClass) }, metadata);
  const pod = (name: string) => world.get<PodObject>(Pod, name);
  const nodeOf = async (name: string) => (await pod(name))?.spec.nodeName;
  const isOn = (name: string, node: string) =>
    world.until(`pod ${name} is on ${node}`, async () => (await nodeOf(name)) === own(node));
  const runs = (name: string) =>
    world.until(`pod ${name} runs`, async () => (await pod(name))?.status?.phase === "Running");
  async function isRefused(name: string, message: string): Promise<void> {
    const refused = async () => {
      const condition = conditionOf((await pod(name))?.status?.conditions, "PodScheduled");
      return (
        condition?.status === "False" && condition.reason === "Unschedulable" && condition.message?.includes(message)
      );
    };
    await world.until(`pod ${name} is refused because ${message}`, refused);
    await world.until(`pod ${name} shows it`, async () =>
      (await world.events(name)).some(
        (line) => line.startsWith("FailedScheduling: 0/2 nodes are available:") && line.includes(message),
      ),
    );
    expect(await nodeOf(name)).toBeUndefined();
  }
  const onlyOn = (node: string) => ({ nodeSelector: { "kubernetes.io/hostname": own(node) } });

  it("gives a pod a node, and says so", async () => {
    await createPod(world, "plain", [], onlyOn("two"));
    await isOn("plain", "two");
    await runs("plain");
    expect(await world.events("plain")).toContain(
      `Scheduled: Successfully assigned ${world.namespace}/plain to ${own("two")}`,
    );
  });

  it("refuses a pod whose claim is missing until it is there and bound", async () => {
    await createPod(world, "early", ["missing"]);
    await isRefused("early", 'persistentvolumeclaim "missing" not found');
    await createClaim(world, "missing", { storageClassName: own("nobody") });
    await isRefused("early", "pod has unbound immediate PersistentVolumeClaims");
    await createClass("nobody");
    await runs("early");
  });

  it("refuses a pod whose claim is being deleted", async () => {
    await claim("leaving", "now", { finalizers: ["test.holdfast.dev/hold"] });
    await world.until("the claim is bound", async () => {
      return (await world.get<ClaimObject>(PersistentVolumeClaim, "leaving"))?.status?.phase === "Bound";
    });
    await world.delete(PersistentVolumeClaim, "leaving");
    await world.rest();
    await createPod(world, "too-late", ["leaving"]);
    await isRefused("too-late", 'persistentvolumeclaim "leaving" is being deleted');
    await world.delete(Pod, "too-late");
    await world.patch(PersistentVolumeClaim, "leaving", { metadata: { finalizers: null } });
  });

  it("leaves a pod alone while a gate is closed", async () => {
    await createPod(world, "gated", [], { schedulingGates: [{ name: "test.holdfast.dev/gate" }] });
    await world.rest();
    expect(await nodeOf("gated")).toBeUndefined();
    await world.patch(Pod, "gated", { spec: { schedulingGates: null } });
    await runs("gated");
  });

  it("respects cordons", async () => {
    for (const name of ["one", "two"]) await world.patch(Node, own(name), { spec: { unschedulable: true } });
    await world.rest();
    await createPod(world, "cordoned");
    await isRefused("cordoned", "2 node(s) were unschedulable");
    await world.patch(Node, own("one"), { spec: { unschedulable: null } });
    await isOn("cordoned", "one");
    await world.patch(Node, own("two"), { spec: { unschedulable: null } });
    await world.rest();
  });

  it("respects taints and tolerations, labels and affinity", async () => {
    const taints = [{ key: "test.holdfast.dev/only", value: "me", effect: "NoSchedule" }];
    await world.patch(Node, own("two"), { spec: { taints } });
    await world.rest();
    await createPod(world, "intolerant", [], onlyOn("two"));
    await isRefused(
      "intolerant",
      "1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s)",
    );
    const tolerations = [{ key: "test.holdfast.dev/only", operator: "Equal", value: "me" }];
    const terms = [{ matchExpressions: [{ key: "kubernetes.io/hostname", operator: "NotIn", values: [own("one")] }] }];
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } };
    await createPod(world, "tolerant", [], { tolerations, affinity: { nodeAffinity } });
    await isOn("tolerant", "two");
    await world.patch(Node, own("two"), { spec: { taints: null } });
    await isOn("intolerant", "two");
  });

  it("has the volume of a waiting claim made for the node it chose", async () => {
    await claim("consumer", "late");
    await createPod(world, "consumer", ["consumer"], onlyOn("two"));
    await runs("consumer");
    expect(await nodeOf("consumer")).toBe(own("two"));
    const { annotations } = (await world.get(PersistentVolumeClaim, "consumer"))?.metadata ?? {};
    expect(annotations?.["volume.kubernetes.io/selected-node"]).toBe(own("two"));
  });

  it("takes a volume that can be reached from the node, and goes where a bound volume is", async () => {
    await createClass("local", {
      provisioner: "kubernetes.io/no-provisioner",
      volumeBindingMode: "WaitForFirstConsumer",
    });
    const at = (node: string) => {
      const terms = [{ matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [own(node)] }] }];
      return {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "1Gi" },
        local: { path: "/mnt/disk" },
        nodeAffinity: { required: { nodeSelectorTerms: terms } },
        storageClassName: own("local"),
        persistentVolumeReclaimPolicy: "Retain",
      };
    };
    await claim("local", "local");
    await createPod(world, "local", ["local"]);
    await isRefused("local", "2 node(s) didn't find available persistent volumes to bind");
    await world.create(PersistentVolume, own("disk"), { spec: at("two") });
    await isOn("local", "two");
    expect((await world.get<ClaimObject>(PersistentVolumeClaim, "local"))?.spec.volumeName).toBe(own("disk"));
    await createPod(world, "misplaced", ["local"], onlyOn("one"));
    await isRefused("misplaced", "node(s) didn't match PersistentVolume's node affinity");
  });

  it("schedules a pod with an ephemeral volume once its claim is bound, and the claim goes with it", async () => {
    const spec = {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      storageClassName: own("now"),
    };
    const volumes = [
      { name: "scratch", ephemeral: { volumeClaimTemplate: { metadata: { labels: { a: "b" } }, spec } } },
    ];
    const containers = [{ name: "main", image: "x", volumeMounts: [{ name: "scratch", mountPath: "/scratch" }] }];
    await createPod(world, "ephemeral", [], { volumes, containers });
    await runs("ephemeral");
    expect((await world.get(PersistentVolumeClaim, "ephemeral-scratch"))?.metadata).toMatchObject({
      labels: { a: "b" },
      ownerReferences: [{ kind: "Pod", name: "ephemeral", controller: true, blockOwnerDeletion: true }],
    });
    await world.delete(Pod, "ephemeral");
    await world.gone(PersistentVolumeClaim, "ephemeral-scratch");
  });
});
