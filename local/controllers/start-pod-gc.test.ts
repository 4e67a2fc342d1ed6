import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Node, Pod } from "../../shared/kubernetes/kind.ts";
import { conditionOf } from "./objects/condition.ts";
import type { PodObject } from "./objects/pod.ts";
import { createPod, openWorld, type World } from "./testing/world.ts";

describe("the pod garbage collector", () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld({ controllers: ["pod-garbage-collector-controller"] });
  });
  afterAll(() => world.close());

  const own = (name: string) => `${world.namespace}-${name}`;
  const pod = (name: string) => world.get<PodObject>(Pod, name);

  it("gives up the pods of a node that does not exist", async () => {
    await createPod(world, "orphan", [], { nodeName: own("nowhere") }, { finalizers: ["test.holdfast.dev/hold"] });
    await world.until("the pod has failed", async () => (await pod("orphan"))?.status?.phase === "Failed");
    expect(conditionOf((await pod("orphan"))?.status?.conditions, "DisruptionTarget")).toMatchObject({
      reason: "DeletionByPodGC",
      message: "PodGC: node no longer exists",
    });
    await world.until(
      "the pod is shut down",
      async () => (await pod("orphan"))?.metadata.deletionGracePeriodSeconds === 0,
    );
    await world.patch(Pod, "orphan", { metadata: { finalizers: null } });
    await world.gone(Pod, "orphan");
  });

  it("gives up pods being deleted on a node that is out of service", async () => {
    await world.create(Node, own("dead"));
    await createPod(world, "leaving", [], { nodeName: own("dead") });
    await createPod(world, "staying", [], { nodeName: own("dead") });
    await world.delete(Pod, "leaving");
    await world.rest();
    expect(await pod("leaving")).toBeDefined();
    const taints = [{ key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoSchedule" }];
    await world.patch(Node, own("dead"), { spec: { taints } });
    await world.gone(Pod, "leaving");
    expect(await pod("staying")).toBeDefined();
    await world.delete(Pod, "staying", { gracePeriodSeconds: 0 });
    await world.delete(Node, own("dead"));
  });
});
