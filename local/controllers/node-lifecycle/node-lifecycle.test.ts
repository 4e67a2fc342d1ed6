import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Node, Pod } from "../../../shared/kubernetes/kind.ts";
import { Lease, type LeaseObject } from "../../../shared/kubernetes/lease.ts";
import { conditionOf } from "../objects/condition.ts";
import { isReady, type NodeObject } from "../objects/node.ts";
import type { PodObject } from "../objects/pod.ts";
import { createPod, openWorld, type World } from "../testing/world.ts";

describe("the node lifecycle", () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld({
      nodes: ["one"],
      heartbeat: true,
      controllers: ["kubelet", "node-lifecycle-controller", "taint-eviction-controller"],
    });
  });
  afterAll(() => world.close());

  const name = () => `${world.namespace}-one`;
  const node = () => world.get<NodeObject>(Node, name());
  const taints = async () =>
    (await node())?.spec?.taints?.map(({ key, effect }) => `${key}:${effect}`).toSorted() ?? [];
  const pod = (of: string) => world.get<PodObject>(Pod, of);
  const ready = async (of: string) => conditionOf((await pod(of))?.status?.conditions, "Ready")?.status;

  it("keeps a node with a heartbeat Ready", async () => {
    await world.until("the node is ready and free of taints", async () => {
      const now = await node();
      return now && isReady(now) && !now.spec?.taints;
    });
    const renewed = async () =>
      (await world.client.get<LeaseObject>(Lease, "kube-node-lease", name()))?.spec?.renewTime ?? "";
    await world.until("there is a lease", renewed);
    const before = await renewed();
    await world.until("the lease is renewed", async () => (await renewed()) > before);
    await world.rest();
    expect(await taints()).toEqual([]);
  });

  it("taints a cordoned node", async () => {
    await world.patch(Node, name(), { spec: { unschedulable: true } });
    await world.until("the node is tainted", async () => (await taints()).length);
    expect(await taints()).toEqual(["node.kubernetes.io/unschedulable:NoSchedule"]);
    await world.patch(Node, name(), { spec: { unschedulable: null } });
    await world.until("the taint is gone", async () => !(await taints()).length);
  });

  it("evicts pods from a node with a NoExecute taint, as far as they do not tolerate it", async () => {
    const tolerations = [{ key: "test.holdfast.dev/evict", operator: "Exists", effect: "NoExecute" }];
    await createPod(world, "tolerant", [], { nodeName: name(), tolerations });
    await createPod(world, "intolerant", [], { nodeName: name() });
    const limited = tolerations.map((toleration) => ({ ...toleration, tolerationSeconds: 5 }));
    await createPod(world, "patient", [], { nodeName: name(), tolerations: limited });
    for (const pod of ["tolerant", "patient", "intolerant"]) {
      await world.until(`${pod} runs`, async () => (await ready(pod)) === "True");
    }
    const timeAdded = new Date(world.clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
    const taint = { key: "test.holdfast.dev/evict", effect: "NoExecute", timeAdded };
    await world.patch(Node, name(), { spec: { taints: [taint] } });
    await world.gone(Pod, "intolerant");
    expect(await pod("patient")).toBeDefined();
    await world.gone(Pod, "patient");
    expect(await ready("tolerant")).toBe("True");
    await world.patch(Node, name(), { spec: { taints: null } });
  });

  it("calls a silent node lost, its pods not ready, and takes it back", async () => {
    // What the admission plugin DefaultTolerationSeconds adds.
    const tolerations = ["not-ready", "unreachable"].map((taint) => {
      return { key: `node.kubernetes.io/${taint}`, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 };
    });
    await createPod(world, "stranded", [], { nodeName: name(), tolerations });
    await world.until("the pod is ready", async () => (await ready("stranded")) === "True");
    world.kubelet?.lose(name());
    await world.until("the node is tainted as unreachable", async () => (await taints()).length === 2);
    expect(await taints()).toEqual([
      "node.kubernetes.io/unreachable:NoExecute",
      "node.kubernetes.io/unreachable:NoSchedule",
    ]);
    expect(conditionOf((await node())?.status?.conditions, "Ready")).toMatchObject({
      status: "Unknown",
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
    });
    await world.until("the pod is not ready", async () => (await ready("stranded")) === "False");
    world.kubelet?.restore(name());
    await world.until("the node is free of taints", async () => !(await taints()).length);
    await world.until("the pod is ready again", async () => (await ready("stranded")) === "True");
  });
});
