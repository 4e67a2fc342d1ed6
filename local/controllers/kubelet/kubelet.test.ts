import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Node, PersistentVolumeClaim, Pod, StorageClass } from "../../../shared/kubernetes/kind.ts";
import { conditionOf } from "../objects/condition.ts";
import { isReady, type NodeObject } from "../objects/node.ts";
import type { PodObject } from "../objects/pod.ts";
import { createClaim, createPod, openWorld, type World } from "../testing/world.ts";

describe("the kubelet", () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld({
      nodes: ["one", "two"],
      controllers: [
        "kubelet",
        "persistentvolume-binder-controller",
        "persistentvolume-protection-controller",
        "persistentvolumeclaim-protection-controller",
      ],
    });
    await world.create(StorageClass, world.namespace, { provisioner: "kubernetes.io/host-path" });
  });
  afterAll(() => world.close());

  const node = (name = "one") => ({ nodeName: `${world.namespace}-${name}` });
  const pod = (name: string) => world.get<PodObject>(Pod, name);
  const phaseOf = async (name: string) => (await pod(name))?.status?.phase;
  const is = (name: string, phase: string) =>
    world.until(`pod ${name} is ${phase}`, async () => (await phaseOf(name)) === phase);
  const records = (name: string, part: string) =>
    world.until(`${name} shows ${part}`, async () => (await world.events(name)).some((line) => line.includes(part)));
  const claim = (name: string, fields: object = {}) =>
    createClaim(world, name, { storageClassName: world.namespace }, fields);
  const annotated = (annotations: object) => ({
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [`laptop.holdfast.dev/${key}`, value]),
    ),
  });

  it("registers its nodes and calls them Ready", async () => {
    for (const name of ["one", "two"]) {
      const registered = await world.get<NodeObject>(Node, `${world.namespace}-${name}`);
      expect(registered && isReady(registered)).toBe(true);
      expect(registered?.metadata.labels?.["kubernetes.io/hostname"]).toBe(`${world.namespace}-${name}`);
    }
  });

  it("starts a pod of its nodes", async () => {
    await createPod(world, "started", [], node("two"));
    await is("started", "Running");
    const { status } = (await pod("started")) ?? {};
    expect(status).toMatchObject({
      hostIP: expect.stringMatching(/^10\.0\.0\./),
      podIP: expect.stringMatching(/^10\.244\./),
      containerStatuses: [{ name: "main", ready: true, restartCount: 0, state: { running: {} } }],
    });
    for (const type of ["Ready", "ContainersReady", "Initialized"]) {
      expect(conditionOf(status?.conditions, type)?.status).toBe("True");
    }
    await records("started", 'Pulled: Container image "registry.example/main:1" already present on machine');
    await records("started", "Started: Container started");
  });

  it("leaves the pods of other nodes alone", async () => {
    await createPod(world, "foreign", [], { nodeName: "elsewhere" });
    await createPod(world, "unscheduled", [], { schedulingGates: [{ name: "test.holdfast.dev/never" }] });
    await world.rest();
    expect(await phaseOf("foreign")).toBe("Pending");
    expect(await phaseOf("unscheduled")).toBe("Pending");
    for (const name of ["foreign", "unscheduled"]) await world.delete(Pod, name, { gracePeriodSeconds: 0 });
  });

  it.each([
    { code: "0", phase: "Succeeded" },
    { code: "3", phase: "Failed" },
  ])("ends a pod with exit code $code as $phase", async ({ code, phase }) => {
    const name = `ends-${code}`;
    const metadata = annotated({ "run-for": "2s", "exit-code": code });
    await createPod(world, name, [], { ...node(), restartPolicy: "Never" }, metadata);
    await is(name, phase);
    expect((await pod(name))?.status).toMatchObject({
      containerStatuses: [{ ready: false, state: { terminated: { exitCode: Number(code) } } }],
    });
    expect(conditionOf((await pod(name))?.status?.conditions, "Ready")?.status).toBe("False");
  });

  it("stops a pod being deleted within its grace period, and then deletes it", async () => {
    const slow = { ...node(), terminationGracePeriodSeconds: 3 };
    await createPod(world, "slow", [], slow, annotated({ "stop-after": "1h" }));
    await createPod(world, "quick", [], { ...node(), terminationGracePeriodSeconds: 3600 });
    await is("slow", "Running");
    await is("quick", "Running");
    const start = world.clock.now();
    await world.delete(Pod, "slow");
    await world.delete(Pod, "quick");
    await world.gone(Pod, "quick");
    expect(await pod("slow")).toBeDefined();
    await records("slow", "Killing: Stopping container main");
    await world.gone(Pod, "slow");
    // Timestamps are in whole seconds.
    expect(world.clock.now() - start).toBeGreaterThanOrEqual(2000);
  });

  it("shows a stopped pod that a finalizer keeps as finished", async () => {
    await createPod(world, "kept", [], node(), { finalizers: ["test.holdfast.dev/hold"] });
    await is("kept", "Running");
    await world.delete(Pod, "kept");
    await is("kept", "Succeeded");
    await world.until("it is shut down", async () => (await pod("kept"))?.metadata.deletionGracePeriodSeconds === 0);
    await world.rest();
    expect(await pod("kept")).toBeDefined();
    await world.patch(Pod, "kept", { metadata: { finalizers: null } });
    await world.gone(Pod, "kept");
  });

  it("waits for a claim that is missing", async () => {
    await createPod(world, "early", ["later"], node());
    await records(
      "early",
      "FailedMount: Unable to attach or mount volumes: unmounted volumes=[later], unattached volumes=[], " +
        `failed to process volumes=[later]: error processing PVC ${world.namespace}/later: ` +
        'failed to fetch PVC from API server: persistentvolumeclaims "later" not found',
    );
    expect(await phaseOf("early")).toBe("Pending");
    await claim("later");
    await is("early", "Running");
  });

  it("does not look at volumes that no container mounts", async () => {
    const volumes = [{ name: "idle", persistentVolumeClaim: { claimName: "nowhere" } }];
    await createPod(world, "idle", [], { ...node(), volumes });
    await is("idle", "Running");
  });

  it("starts a pod on a claim being deleted as long as the claim is protected", async () => {
    await claim("protected");
    await createPod(world, "first", ["protected"], node());
    await is("first", "Running");
    await world.delete(PersistentVolumeClaim, "protected");
    await createPod(world, "late", ["protected"], node());
    await is("late", "Running");
    for (const name of ["first", "late"]) await world.delete(Pod, name);
    await world.gone(PersistentVolumeClaim, "protected");
  });

  it("refuses a pod on a claim being deleted that is protected no more", async () => {
    await claim("unprotected", { finalizers: ["test.holdfast.dev/hold"] });
    await world.until("the claim is bound", async () => {
      const { status } = ((await world.get(PersistentVolumeClaim, "unprotected")) ?? {}) as PodObject;
      return (status?.phase as string) === "Bound";
    });
    await world.delete(PersistentVolumeClaim, "unprotected");
    await world.until("the in-tree finalizer is gone", async () => {
      const { finalizers } = (await world.get(PersistentVolumeClaim, "unprotected"))?.metadata ?? {};
      return finalizers?.join() === "test.holdfast.dev/hold";
    });
    await createPod(world, "refused", ["unprotected"], node());
    await records("refused", `error processing PVC ${world.namespace}/unprotected: PVC is being deleted`);
    await world.rest();
    expect(await phaseOf("refused")).toBe("Pending");
    await world.delete(Pod, "refused");
    await world.gone(Pod, "refused");
    await world.patch(PersistentVolumeClaim, "unprotected", { metadata: { finalizers: null } });
  });

  it("leaves pods of a lost node as they are until they are deleted by force", async () => {
    await createPod(world, "stranded", [], node("two"));
    await is("stranded", "Running");
    world.kubelet?.lose(`${world.namespace}-two`);
    await world.delete(Pod, "stranded");
    await world.rest();
    expect(await phaseOf("stranded")).toBe("Running");
    await world.client.delete(Pod, world.namespace, "stranded", { gracePeriodSeconds: 0 });
    await world.gone(Pod, "stranded");
  });
});
