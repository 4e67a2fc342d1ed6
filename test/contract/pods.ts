import { describe, expect, test } from "vitest";
import { isConflict } from "../../shared/kubernetes/api-error.ts";
import { Pod, pathOf } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject, ObjectMeta } from "../../shared/kubernetes/object.ts";
import { pod } from "../harness/manifest.ts";
import { recordWatch } from "../harness/recorded-watch.ts";
import type { Bench } from "../harness/server.ts";
import { failure } from "./failure.ts";

interface LivePod extends KubernetesObject {
  spec: { nodeName?: string; terminationGracePeriodSeconds?: number };
  status: { phase: string; conditions?: { type: string; status: string }[] };
}

/** Pods: binding, grace, and the status that only its subresource writes. */
export function pods(open: () => Promise<Bench>): void {
  const create = ({ admin, namespace }: Bench, spec: object = {}, metadata: Partial<ObjectMeta> = {}) =>
    admin.create(
      Pod,
      pod({ namespace, name: "a", ...metadata }, [], { terminationGracePeriodSeconds: undefined, ...spec }),
    );
  const read = ({ admin, namespace }: Bench) => admin.get<LivePod>(Pod, namespace, "a");
  const remove = ({ admin, namespace }: Bench, gracePeriodSeconds?: number) =>
    admin.request<LivePod>("DELETE", pathOf(Pod, namespace, "a"), {
      apiVersion: "v1",
      kind: "DeleteOptions",
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    });
  const phase = ({ admin, namespace }: Bench, phase: string) =>
    admin.patch<LivePod>(Pod, namespace, "a", "merge", { status: { phase } }, { subresource: "status" });
  const bind = ({ admin, namespace }: Bench, name: string, uid?: string) =>
    admin.request("POST", pathOf(Pod, namespace, "a", "binding"), {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name: "a", ...(uid ? { uid } : {}) },
      target: { apiVersion: "v1", kind: "Node", name },
    });
  const secondsUntilDeletion = (bench: Bench, { metadata }: KubernetesObject) =>
    Math.round((Date.parse(metadata.deletionTimestamp ?? "") - bench.clock.now()) / 1000);

  describe("pod", () => {
    test("starts Pending with 30 seconds of grace", async () => {
      const bench = await open();
      await create(bench);
      expect(await read(bench)).toMatchObject({
        metadata: { generation: 1 },
        spec: { terminationGracePeriodSeconds: 30, restartPolicy: "Always" },
        status: { phase: "Pending" },
      });
    });
  });

  describe("binding", () => {
    test("sets the node and the condition PodScheduled, once", async () => {
      const bench = await open();
      await create(bench);
      expect(await bind(bench, "node-0")).toMatchObject({ kind: "Status", status: "Success" });
      const bound = await read(bench);
      expect(bound?.spec.nodeName).toBe("node-0");
      expect(bound?.status.conditions).toContainEqual(
        expect.objectContaining({ type: "PodScheduled", status: "True" }),
      );

      const error = await failure(bind(bench, "node-1"));
      expect(error).toMatchObject({ status: 409, reason: "Conflict" });
      expect(error.message).toContain('pod a is already assigned to node "node-0"');
    });

    test("of another incarnation is a conflict", async () => {
      const bench = await open();
      await create(bench);
      const error = await failure(bind(bench, "node-0", "11111111-1111-4111-8111-111111111111"));
      expect(error).toMatchObject({ status: 409, reason: "Conflict" });
      expect(isConflict(error)).toBe(true);
      expect((await read(bench))?.spec.nodeName).toBeUndefined();
    });

    test("of a pod being deleted is a conflict; of none is 404", async () => {
      const bench = await open();
      expect((await failure(bind(bench, "node-0"))).status).toBe(404);
      await create(bench, {}, { finalizers: ["a.example/1"] });
      await remove(bench);
      const error = await failure(bind(bench, "node-0"));
      expect(error).toMatchObject({ status: 409, reason: "Conflict" });
      expect(error.message).toContain("pod a is being deleted, cannot be assigned to a host");
    });

    test("cannot be done by an update", async () => {
      const bench = await open();
      await create(bench);
      const patch = bench.admin.patch(Pod, bench.namespace, "a", "merge", { spec: { nodeName: "node-0" } });
      const error = await failure(patch);
      expect(error).toMatchObject({ status: 422, reason: "Invalid" });
      expect(error.causes.map((cause) => cause.field)).toContain("spec");
    });
  });

  describe("pod deletion", () => {
    test("of an unscheduled pod needs no grace", async () => {
      const bench = await open();
      await create(bench);
      await remove(bench);
      expect(await read(bench)).toBeUndefined();
    });

    test.each(["Succeeded", "Failed"])("of a pod that %s needs no grace", async (end) => {
      const bench = await open();
      await create(bench, { nodeName: "node-0" });
      await phase(bench, end);
      await remove(bench);
      expect(await read(bench)).toBeUndefined();
    });

    test("of a bound pod waits for the kubelet, however long: a deletion with no grace ends it", async () => {
      const bench = await open();
      await create(bench, { nodeName: "node-0", terminationGracePeriodSeconds: 40 });
      const marked = await remove(bench);
      expect(marked.metadata).toMatchObject({ deletionGracePeriodSeconds: 40, generation: 2 });
      expect(secondsUntilDeletion(bench, marked)).toBeGreaterThanOrEqual(36);
      expect(secondsUntilDeletion(bench, marked)).toBeLessThanOrEqual(41);
      expect((await remove(bench)).metadata.resourceVersion).toBe(marked.metadata.resourceVersion);
      await remove(bench, 0);
      expect(await read(bench)).toBeUndefined();
    });

    test("can be hurried, not slowed down", async () => {
      const bench = await open();
      await create(bench, { nodeName: "node-0" });
      await remove(bench);
      expect((await remove(bench, 60)).metadata.deletionGracePeriodSeconds).toBe(30);
      const hurried = await remove(bench, 5);
      expect(hurried.metadata.deletionGracePeriodSeconds).toBe(5);
      expect(secondsUntilDeletion(bench, hurried)).toBeLessThanOrEqual(6);
      expect((await remove(bench, 20)).metadata.deletionGracePeriodSeconds).toBe(5);
    });

    test("with no grace still waits for finalizers, and then counts as shut down", async () => {
      const bench = await open();
      await create(bench, { nodeName: "node-0" }, { finalizers: ["a.example/1"] });
      expect((await remove(bench)).metadata.deletionGracePeriodSeconds).toBe(30);
      expect((await remove(bench, 0)).metadata.deletionGracePeriodSeconds).toBe(0);
      expect((await read(bench))?.metadata.deletionGracePeriodSeconds).toBe(0);
      await bench.admin.patch(Pod, bench.namespace, "a", "merge", { metadata: { finalizers: null } });
      expect(await read(bench)).toBeUndefined();
    });

    test("of a bound pod whose finalizers go first still waits for the kubelet", async () => {
      const bench = await open();
      await create(bench, { nodeName: "node-0" }, { finalizers: ["a.example/1"] });
      await remove(bench);
      await bench.admin.patch(Pod, bench.namespace, "a", "merge", { metadata: { finalizers: null } });
      expect((await read(bench))?.metadata.deletionGracePeriodSeconds).toBe(30);
    });

    test("shows in a watch the state it went with", async () => {
      const bench = await open();
      const { metadata } = await create(bench, {
        nodeName: "node-0",
        volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }],
      });
      const watch = recordWatch(bench, Pod, { resourceVersion: metadata.resourceVersion });
      await remove(bench);
      await remove(bench, 0);
      await bench.eventually("the pod goes", () => watch.events().at(-1) === "DELETED a");
      watch.stop();
      const last = watch.lines.at(-1)?.object as LivePod & { spec: { volumes: object[] } };
      expect(last.spec.nodeName).toBe("node-0");
      expect(last.spec.volumes).toContainEqual({ name: "v", persistentVolumeClaim: { claimName: "c" } });
    });
  });

  describe("status", () => {
    test("is not changed by a write to the object", async () => {
      const bench = await open();
      await create(bench, { nodeName: "node-0" });
      const patch = { metadata: { labels: { l: "1" } }, status: { phase: "Failed" } };
      const patched = await bench.admin.patch<LivePod>(Pod, bench.namespace, "a", "merge", patch);
      expect(patched).toMatchObject({ metadata: { labels: { l: "1" } }, status: { phase: "Pending" } });
    });

    test("is all that a write to its subresource changes, beside metadata", async () => {
      const bench = await open();
      await create(bench, { nodeName: "node-0" });
      const patch = {
        metadata: { labels: { l: "1" } },
        spec: { activeDeadlineSeconds: 5 },
        status: { phase: "Running" },
      };
      const options = { subresource: "status" };
      const patched = await bench.admin.patch<LivePod>(Pod, bench.namespace, "a", "merge", patch, options);
      expect(patched?.status.phase).toBe("Running");
      expect(patched?.spec).not.toHaveProperty("activeDeadlineSeconds");
      expect(patched?.metadata.labels).toEqual({ l: "1" });
      expect(patched?.metadata.generation).toBe(1);
    });

    test("given at creation is dropped", async () => {
      const { admin, namespace } = await open();
      const object = { ...pod({ namespace, name: "a" }), status: { phase: "Succeeded" } };
      expect(await admin.create<KubernetesObject>(Pod, object)).toMatchObject({ status: { phase: "Pending" } });
    });
  });
}
