import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Node, PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { createClaim, createPod, forceDelete, openWorld, type World } from "../testing/world.ts";

const protection = "kubernetes.io/pvc-protection";

describe("PVC protection", () => {
  let world: World;
  /** A Node without a kubelet. */
  let bound: { readonly nodeName: string };
  beforeAll(async () => {
    world = await openWorld({ controllers: ["persistentvolumeclaim-protection-controller"] });
    bound = { nodeName: `${world.namespace}-node` };
    // Of Nodes that there are not a real control plane takes the pods away after 40 seconds.
    await world.create(Node, bound.nodeName);
  });
  afterAll(async () => {
    await world.delete(Node, bound.nodeName);
    await world.close();
  });

  const claim = (name: string) => world.get(PersistentVolumeClaim, name);
  async function createAndDelete(name: string): Promise<void> {
    await createClaim(world, name);
    await world.delete(PersistentVolumeClaim, name);
  }
  async function isHeld(name: string): Promise<void> {
    await world.rest();
    expect((await claim(name))?.metadata).toMatchObject({
      deletionTimestamp: expect.any(String),
      finalizers: [protection],
    });
  }
  const withEphemeral = (volume: string, spec: object = {}) => ({
    volumes: [
      {
        name: volume,
        ephemeral: {
          volumeClaimTemplate: {
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        },
      },
    ],
    ...spec,
  });
  const controlledBy = ({ metadata: { name, uid } }: KubernetesObject) => ({
    ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid, controller: true, blockOwnerDeletion: true }],
  });

  it("puts the finalizer back on a claim that lacks it", async () => {
    await createClaim(world, "bare", {}, { finalizers: ["test.holdfast.dev/mine"] });
    await world.patch(PersistentVolumeClaim, "bare", { metadata: { finalizers: ["test.holdfast.dev/mine"] } });
    await world.until("the finalizer is back", async () =>
      (await claim("bare"))?.metadata.finalizers?.includes(protection),
    );
    expect((await claim("bare"))?.metadata.finalizers).toEqual(["test.holdfast.dev/mine", protection]);
  });

  it("lets a claim go that no pod uses", async () => {
    await createAndDelete("unused");
    await world.gone(PersistentVolumeClaim, "unused");
  });

  it("leaves finalizers of others where they are", async () => {
    await createClaim(world, "shared", {}, { finalizers: ["test.holdfast.dev/mine"] });
    await world.delete(PersistentVolumeClaim, "shared");
    await world.until(
      "only the other finalizer is left",
      async () => (await claim("shared"))?.metadata.finalizers?.length === 1,
    );
    expect((await claim("shared"))?.metadata.finalizers).toEqual(["test.holdfast.dev/mine"]);
    await world.patch(PersistentVolumeClaim, "shared", { metadata: { finalizers: null } });
  });

  it("holds a claim until the last bound pod that names it is gone", async () => {
    await createClaim(world, "used");
    await createPod(world, "user-a", ["used"], bound);
    await createPod(world, "user-b", ["used"], bound);
    await world.delete(PersistentVolumeClaim, "used");
    await isHeld("used");
    await forceDelete(world, "user-a");
    await isHeld("used");
    await forceDelete(world, "user-b");
    await world.gone(PersistentVolumeClaim, "used");
  });

  it.each(["Succeeded", "Failed"])("holds a claim while a pod that has %s exists", async (phase) => {
    const name = phase.toLowerCase();
    await createClaim(world, name);
    await createPod(world, name, [name], bound);
    await world.patch(Pod, name, { status: { phase } }, "status");
    await world.delete(PersistentVolumeClaim, name);
    await isHeld(name);
    await forceDelete(world, name);
    await world.gone(PersistentVolumeClaim, name);
  });

  it("does not count a pod without a node", async () => {
    await createClaim(world, "unscheduled");
    await createPod(world, "unscheduled", ["unscheduled"], { schedulingGates: [{ name: "test.holdfast.dev/never" }] });
    await world.delete(PersistentVolumeClaim, "unscheduled");
    await world.gone(PersistentVolumeClaim, "unscheduled");
  });

  it("does not count a pod of the same name in its place that names another claim", async () => {
    await createClaim(world, "before");
    await createPod(world, "replaced", ["before"], bound);
    await world.delete(PersistentVolumeClaim, "before");
    await isHeld("before");
    await forceDelete(world, "replaced");
    await createPod(world, "replaced", ["another"], bound);
    await world.gone(PersistentVolumeClaim, "before");
    await forceDelete(world, "replaced");
  });

  it("judges many claims of a namespace at once, each on its own", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `many-${index}`);
    for (const name of names) await createClaim(world, name);
    await createPod(world, "many", ["many-3", "many-11"], bound);
    for (const name of names) await world.delete(PersistentVolumeClaim, name);
    for (const name of names) if (!/-(3|11)$/.test(name)) await world.gone(PersistentVolumeClaim, name);
    await isHeld("many-3");
    await forceDelete(world, "many");
    await world.gone(PersistentVolumeClaim, "many-3");
    await world.gone(PersistentVolumeClaim, "many-11");
  });

  it("holds the claim of an ephemeral volume for its pod until the pod is shut down", async () => {
    const pod = await createPod(world, "owner", [], withEphemeral("own", bound), {
      finalizers: ["test.holdfast.dev/hold"],
    });
    await createClaim(world, "owner-own", {}, controlledBy(pod));
    await world.delete(PersistentVolumeClaim, "owner-own");
    await isHeld("owner-own");
    // The pod's finalizer keeps it, but with a grace period of 0 it is shut down.
    await forceDelete(world, "owner");
    await world.gone(PersistentVolumeClaim, "owner-own");
    expect(await world.get(Pod, "owner")).toBeDefined();
    await world.patch(Pod, "owner", { metadata: { finalizers: null } });
  });

  it("does not hold a claim that only has the name of a pod's ephemeral volume", async () => {
    const { metadata } = await createClaim(world, "stranger-own");
    await createPod(world, "stranger", [], withEphemeral("own", bound));
    await world.delete(PersistentVolumeClaim, "stranger-own");
    // Where the ephemeral volume controller runs, it makes the pod's own claim in its place.
    await world.until("the stranger is gone", async () => (await claim("stranger-own"))?.metadata.uid !== metadata.uid);
    await forceDelete(world, "stranger");
  });
});
