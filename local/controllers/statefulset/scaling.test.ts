import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Pod, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import { hold, openSetWorld, type SetWorld, templateOf } from "./testing/sets.ts";

describe("the pods of a StatefulSet", () => {
  let world: SetWorld;
  beforeAll(async () => {
    world = await openSetWorld();
  });
  afterAll(() => world.close());

  const gated = (name: string) => ({ template: templateOf({ app: name }, { schedulingGates: [{ name: hold }] }) });
  const openGate = (pod: string) => world.patch(Pod, pod, { spec: { schedulingGates: null } });
  const exists = (pod: string) => world.until(`${pod} exists`, () => world.pod(pod));

  it("come one after the other, each when the one before is ready", async () => {
    await world.createSet("up", { replicas: 3, ...gated("up") });
    for (const [pod, before] of [
      ["up-0", ["up-0"]],
      ["up-1", ["up-0", "up-1"]],
      ["up-2", ["up-0", "up-1", "up-2"]],
    ] as const) {
      await exists(pod);
      await world.rest();
      expect(await world.podsOf("up")).toEqual(before);
      await openGate(pod);
    }
    await world.ready("up", 3);
    expect((await world.set("up")).status).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      collisionCount: 0,
    });
  });

  it("go one after the other, the highest ordinal first", async () => {
    await world.createSet("down", { replicas: 3 });
    await world.ready("down", 3);
    await world.keep(Pod, "down-2");
    await world.scale("down", 1);
    await world.dying(Pod, "down-2");
    await world.rest();
    expect(await world.podsOf("down")).toEqual(["down-0", "down-1"]);
    await world.letGo(Pod, "down-2");
    await world.gone(Pod, "down-1");
    await world.ready("down", 1);
    expect(await world.podsOf("down")).toEqual(["down-0"]);
  });

  it("come and go all at once where the set says Parallel", async () => {
    await world.createSet("burst", { replicas: 3, podManagementPolicy: "Parallel", ...gated("burst") });
    for (const pod of ["burst-0", "burst-1", "burst-2"]) await exists(pod);
    for (const pod of ["burst-1", "burst-2"]) await world.keep(Pod, pod);
    await world.scale("burst", 1);
    for (const pod of ["burst-1", "burst-2"]) await world.dying(Pod, pod);
    for (const pod of ["burst-1", "burst-2"]) await world.letGo(Pod, pod);
    await world.gone(Pod, "burst-2");
    expect(await world.podsOf("burst")).toEqual(["burst-0"]);
  });

  it("wait with going down for one of the others that is not ready", async () => {
    await world.createSet("sick", { replicas: 3 });
    await world.ready("sick", 3);
    await world.keep(Pod, "sick-0");
    await world.delete(Pod, "sick-0");
    await world.dying(Pod, "sick-0");
    // Kubernetes' controller decides on a cache, which may not have it yet.
    await world.until("the set counts without it", async () => (await world.set("sick")).status?.currentReplicas === 2);
    await world.scale("sick", 1);
    await world.rest();
    expect(await world.podsOf("sick")).toEqual(["sick-1", "sick-2"]);
    await world.letGo(Pod, "sick-0");
    await world.ready("sick", 1);
    expect(await world.podsOf("sick")).toEqual(["sick-0"]);
  });

  it("have ordinals from where the set says, also when it says otherwise later", async () => {
    await world.createSet("shift", { replicas: 2, ordinals: { start: 3 }, podManagementPolicy: "Parallel" });
    await world.ready("shift", 2);
    expect(await world.podsOf("shift")).toEqual(["shift-3", "shift-4"]);
    const { uid } = (await world.pod("shift-4"))?.metadata ?? {};
    await world.patch(StatefulSet, "shift", {
      spec: { ordinals: { start: 4 } },
    });
    await world.gone(Pod, "shift-3");
    await world.ready("shift", 2);
    expect(await world.podsOf("shift")).toEqual(["shift-4", "shift-5"]);
    expect((await world.pod("shift-4"))?.metadata.uid).toBe(uid);
  });

  it("have an identity: name, labels, host name and owner", async () => {
    const set = await world.createSet("who");
    await world.ready("who", 1);
    const { status } = await world.set("who");
    expect(await world.pod("who-0")).toMatchObject({
      metadata: {
        generateName: "who-",
        labels: {
          app: "who",
          "apps.kubernetes.io/pod-index": "0",
          "controller-revision-hash": status?.updateRevision,
          "statefulset.kubernetes.io/pod-name": "who-0",
        },
        ownerReferences: [
          {
            apiVersion: "apps/v1",
            kind: "StatefulSet",
            name: "who",
            uid: set.metadata.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: {
        hostname: "who-0",
        subdomain: "who",
        volumes: expect.arrayContaining([{ name: "data", persistentVolumeClaim: { claimName: "data-who-0" } }]),
      },
    });
    await world.until("the set shows it", async () =>
      (await world.events("who")).includes("SuccessfulCreate: Create Pod who-0 in StatefulSet who successful"),
    );
  });

  it.each(["deleted", "Failed", "Succeeded"])("are made again on the same claim when one is %s", async (end) => {
    const name = `again-${end.toLowerCase()}`;
    await world.createSet(name, { replicas: 2 });
    await world.ready(name, 2);
    const { uid } = (await world.pod(`${name}-0`))?.metadata ?? {};
    const claim = await world.claim(`data-${name}-0`);
    if (end === "deleted") await world.delete(Pod, `${name}-0`);
    else await world.patch(Pod, `${name}-0`, { status: { phase: end } }, "status");
    await world.until("another is in its place", async () => {
      const now = (await world.pod(`${name}-0`))?.metadata.uid;
      return now && now !== uid;
    });
    await world.ready(name, 2);
    expect((await world.claim(`data-${name}-0`))?.metadata.uid).toBe(claim?.metadata.uid);
  });
});
