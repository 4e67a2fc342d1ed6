import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PersistentVolumeClaim, Pod, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import { createClaim } from "../testing/world.ts";
import { claimSpec, container, hold, openSetWorld, type SetWorld, templateOf } from "./testing/sets.ts";

describe("the claims of a StatefulSet", () => {
  let world: SetWorld;
  beforeAll(async () => {
    world = await openSetWorld();
  });
  afterAll(() => world.close());

  const className = () => `${world.namespace}-class`;
  const refusal = (set: string, claim: string) =>
    `FailedCreate: Create Pod ${set}-0 in StatefulSet ${set} failed error: pvc ${claim} is being deleted`;
  const records = (set: string, event: string) =>
    world.until(`${set} records: ${event}`, async () => (await world.events(set)).includes(event));

  it("are named after template, set and ordinal, with the template's metadata and the selector's labels", async () => {
    const metadata = { labels: { tier: "gold", app: "overruled" }, annotations: { note: "kept" } };
    const spec = claimSpec(className());
    await world.createSet("named", {
      replicas: 2,
      volumeClaimTemplates: [
        { metadata: { name: "data", ...metadata }, spec },
        { metadata: { name: "logs" }, spec },
      ],
    });
    await world.ready("named", 2);
    expect(await world.claim("data-named-1")).toMatchObject({
      metadata: { labels: { tier: "gold", app: "named" }, annotations: { note: "kept" } },
      spec: { accessModes: ["ReadWriteOnce"], storageClassName: className() },
    });
    expect((await world.claim("logs-named-0"))?.metadata.labels).toEqual({ app: "named" });
    expect((await world.claim("logs-named-0"))?.metadata.ownerReferences).toBeUndefined();
    await records("named", "SuccessfulCreate: Create Claim logs-named-1 Pod named-1 in StatefulSet named success");
  });

  it("are mounted in the place of volumes of the template that have their names", async () => {
    const volumes = [
      { name: "data", emptyDir: {} },
      { name: "scratch", emptyDir: {} },
    ];
    const containers = [{ ...container, volumeMounts: volumes.map(({ name }) => ({ name, mountPath: `/${name}` })) }];
    await world.createSet("mounted", { template: templateOf({ app: "mounted" }, { volumes, containers }) });
    await world.ready("mounted", 1);
    const own = (await world.pod("mounted-0"))?.spec.volumes?.filter(({ name }) => !name.startsWith("kube-api-access"));
    expect(own).toEqual([{ name: "data", persistentVolumeClaim: { claimName: "data-mounted-0" } }, volumes[1]]);
  });

  it("that are there already are used as they are", async () => {
    const { metadata } = await createClaim(world, "data-ready-0", claimSpec(className()), { labels: { mine: "yes" } });
    await world.createSet("ready");
    await world.ready("ready", 1);
    expect((await world.claim("data-ready-0"))?.metadata).toMatchObject({ uid: metadata.uid, labels: { mine: "yes" } });
  });

  it("outlive their pods and are used again", async () => {
    await world.createSet("again", { replicas: 2 });
    await world.ready("again", 2);
    const { uid } = (await world.claim("data-again-1"))?.metadata ?? {};
    await world.scale("again", 1);
    await world.gone(Pod, "again-1");
    await world.rest();
    await world.scale("again", 2);
    await world.ready("again", 2);
    expect((await world.claim("data-again-1"))?.metadata.uid).toBe(uid);
  });

  it("get no pod while they are being deleted, with any policy; then a new one takes their place", async () => {
    await world.createSet("refused");
    await world.ready("refused", 1);
    await world.scale("refused", 0);
    await world.gone(Pod, "refused-0");
    const { uid } = (await world.claim("data-refused-0"))?.metadata ?? {};
    await world.keep(PersistentVolumeClaim, "data-refused-0");
    await world.delete(PersistentVolumeClaim, "data-refused-0");
    await world.dying(PersistentVolumeClaim, "data-refused-0");
    // The controller may still have seen the claim as it was.
    await world.rest();
    await world.scale("refused", 1);
    await records("refused", refusal("refused", "data-refused-0"));
    expect(await world.podsOf("refused")).toEqual([]);
    await world.letGo(PersistentVolumeClaim, "data-refused-0");
    await world.ready("refused", 1);
    expect((await world.claim("data-refused-0"))?.metadata.uid).not.toBe(uid);
  });

  it("are made again for a pod that waits for them", async () => {
    const template = templateOf({ app: "lost" }, { schedulingGates: [{ name: hold }] });
    await world.createSet("lost", { template });
    await world.until("the pod waits", () => world.pod("lost-0"));
    const { uid } = (await world.claim("data-lost-0"))?.metadata ?? {};
    await world.delete(PersistentVolumeClaim, "data-lost-0");
    await world.until("the claim is gone", async () => (await world.claim("data-lost-0"))?.metadata.uid !== uid);
    await world.rest();
    await world.touch("lost");
    await world.until("there is another", () => world.claim("data-lost-0"));
    await world.patch(Pod, "lost-0", { spec: { schedulingGates: null } });
    await world.ready("lost", 1);
  });

  it("of two sets whose names yield the same one are one claim for both", async () => {
    const template = (name: string) => ({
      volumeClaimTemplates: [{ metadata: { name }, spec: claimSpec(className()) }],
    });
    await world.createSet("c", template("a-b"));
    await world.ready("c", 1);
    const { uid } = (await world.claim("a-b-c-0"))?.metadata ?? {};
    await world.createSet("b-c", template("a"));
    await world.ready("b-c", 1);
    expect((await world.claim("a-b-c-0"))?.metadata).toMatchObject({ uid, labels: { app: "c" } });
    for (const name of ["c", "b-c"]) await world.delete(StatefulSet, name);
  });
});
