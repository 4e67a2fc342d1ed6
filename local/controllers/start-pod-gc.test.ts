import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Pod } from "../../shared/kubernetes/kind.ts";
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
});
