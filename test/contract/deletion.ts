import { describe, expect, test } from "vitest";
import { isConflict } from "../../shared/kubernetes/api-error.ts";
import { pathOf } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { ConfigMap, StatefulSet } from "../harness/kinds.ts";
import { configMap, statefulSet } from "../harness/manifest.ts";
import { recordWatch } from "../harness/recorded-watch.ts";
import type { Bench } from "../harness/server.ts";
import { failure } from "./failure.ts";

const ours = "holdfast.dev/contract";
const foreignUid = "11111111-1111-4111-8111-111111111111";

/** How objects go: finalizers, timestamps, preconditions, propagation. */
export function deletion(open: () => Promise<Bench>): void {
  async function held(bench: Bench, finalizers = [ours]): Promise<KubernetesObject> {
    const { namespace } = bench;
    return bench.admin.create(ConfigMap, configMap({ namespace, name: "a", labels: { t: "1" }, finalizers }));
  }
  const remove = ({ admin, namespace }: Bench, options: object = {}) =>
    admin.request<KubernetesObject>("DELETE", pathOf(ConfigMap, namespace, "a"), {
      apiVersion: "v1",
      kind: "DeleteOptions",
      ...options,
    });
  const read = ({ admin, namespace }: Bench) => admin.get(ConfigMap, namespace, "a");

  describe("deletion", () => {
    test("an object without finalizers goes at once, and the answer is a Status with its uid", async () => {
      const bench = await open();
      const { metadata } = await held(bench, []);
      const answer = await remove(bench);
      expect(answer).toMatchObject({
        kind: "Status",
        status: "Success",
        details: { name: "a", kind: "configmaps", uid: metadata.uid },
      });
      expect(await read(bench)).toBeUndefined();
    });

    test("what is gone is answered with 404, which the client takes for an answer", async () => {
      const bench = await open();
      const error = await failure(remove(bench));
      expect(error).toMatchObject({ status: 404, reason: "NotFound" });
      expect(error.message).toContain('configmaps "a" not found');
      expect(await bench.admin.delete(ConfigMap, bench.namespace, "a")).toBe(false);
      expect(await bench.admin.patch(ConfigMap, bench.namespace, "a", "merge", {})).toBeUndefined();
    });

    test("with finalizers the object stays, marked once and for ever", async () => {
      const bench = await open();
      const { metadata: before } = await held(bench);
      const { metadata: marked } = await remove(bench);
      expect(marked.deletionTimestamp).toMatch(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(marked.deletionGracePeriodSeconds).toBe(0);
      expect(marked.uid).toBe(before.uid);
      expect(BigInt(marked.resourceVersion)).toBeGreaterThan(BigInt(before.resourceVersion));

      const { metadata: again } = await remove(bench);
      expect([again.deletionTimestamp, again.resourceVersion]).toEqual([
        marked.deletionTimestamp,
        marked.resourceVersion,
      ]);
    });

    test("deletionTimestamp stays: a write that changes it is accepted and changes nothing", async () => {
      const bench = await open();
      await held(bench);
      const { metadata } = await remove(bench);
      for (const deletionTimestamp of [null, "2001-01-01T00:00:00Z"]) {
        const patched = await bench.admin.patch(ConfigMap, bench.namespace, "a", "merge", {
          metadata: { deletionTimestamp },
        });
        expect(patched?.metadata.deletionTimestamp).toBe(metadata.deletionTimestamp);
      }
    });

    test("no finalizer can be added while the object is being deleted, and that is no conflict", async () => {
      const bench = await open();
      await held(bench);
      await remove(bench);
      const error = await failure(
        bench.admin.patch(ConfigMap, bench.namespace, "a", "merge", {
          metadata: { finalizers: [ours, "holdfast.dev/late"] },
        }),
      );
      expect(error).toMatchObject({ status: 422, reason: "Invalid" });
      expect(error.causes).toContainEqual({
        reason: "FieldValueForbidden",
        message:
          "Forbidden: no new finalizers can be added if the object is being deleted, " +
          'found new finalizers []string{"holdfast.dev/late"}',
        field: "metadata.finalizers",
      });
      expect(isConflict(error)).toBe(false);
    });

    test("everything else of an object being deleted can still be written", async () => {
      const bench = await open();
      await held(bench);
      await remove(bench);
      const patch = { metadata: { annotations: { why: "held" } }, data: { key: "1" } };
      const patched = await bench.admin.patch(ConfigMap, bench.namespace, "a", "merge", patch);
      expect(patched).toMatchObject(patch);
    });

    test("the object goes with its last finalizer; the patch that removes it still returns the object", async () => {
      const bench = await open();
      await held(bench, [ours, "holdfast.dev/other"]);
      await remove(bench);
      const withoutOurs = { metadata: { finalizers: ["holdfast.dev/other"] } };
      expect(await bench.admin.patch(ConfigMap, bench.namespace, "a", "merge", withoutOurs)).toBeDefined();
      expect((await read(bench))?.metadata.finalizers).toEqual(["holdfast.dev/other"]);

      const last = await bench.admin.patch(ConfigMap, bench.namespace, "a", "merge", {
        metadata: { finalizers: null },
      });
      expect(last?.metadata.finalizers).toBeUndefined();
      expect(await read(bench)).toBeUndefined();
    });

    test("an update that empties the finalizers deletes as a patch does", async () => {
      const bench = await open();
      await held(bench);
      const { metadata, ...rest } = await remove(bench);
      const { finalizers: _, ...others } = metadata;
      await bench.admin.request("PUT", pathOf(ConfigMap, bench.namespace, "a"), { ...rest, metadata: others });
      expect(await read(bench)).toBeUndefined();
    });

    test("a watch sees MODIFIED when the deletion is asked for, and a newer DELETED when it happens", async () => {
      const bench = await open();
      const { metadata } = await held(bench);
      const watch = recordWatch(bench, ConfigMap, { resourceVersion: metadata.resourceVersion, labelSelector: "t=1" });
      const { metadata: marked } = await remove(bench);
      await bench.admin.patch(ConfigMap, bench.namespace, "a", "merge", { metadata: { finalizers: null } });
      await bench.eventually("the deletion is seen", () => watch.lines.length >= 2);
      watch.stop();

      expect(watch.events()).toEqual(["MODIFIED a", "DELETED a"]);
      const [modified, deleted] = watch.lines.map((line) => line.object.metadata);
      expect(modified?.deletionTimestamp).toBe(marked.deletionTimestamp);
      expect(BigInt(deleted?.resourceVersion ?? 0)).toBeGreaterThan(BigInt(marked.resourceVersion));
      expect(deleted?.uid).toBe(metadata.uid);
    });

    test("a finalizer must be a qualified name", async () => {
      const bench = await open();
      const error = await failure(held(bench, ["unqualified"]));
      expect(error).toMatchObject({ status: 422, reason: "Invalid" });
      expect(error.causes.map((cause) => cause.field)).toContain("metadata.finalizers[0]");
    });
  });

  describe("deletion preconditions", () => {
    test("another uid is a conflict, and so is another resourceVersion; the right ones are not", async () => {
      const bench = await open();
      const { admin, namespace } = bench;
      const { metadata } = await held(bench, []);
      const otherUid = await failure(admin.delete(ConfigMap, namespace, "a", { uid: foreignUid }));
      const otherVersion = await failure(admin.delete(ConfigMap, namespace, "a", { resourceVersion: "1" }));
      expect([otherUid, otherVersion].map(({ status, reason }) => [status, reason])).toEqual([
        [409, "Conflict"],
        [409, "Conflict"],
      ]);
      expect([otherUid, otherVersion].map(isConflict)).toEqual([true, true]);
      expect(otherUid.message).toContain(
        `the UID in the precondition (${foreignUid}) does not match the UID in record (${metadata.uid}). ` +
          "The object might have been deleted and then recreated",
      );
      const { uid, resourceVersion } = metadata;
      expect(await admin.delete(ConfigMap, namespace, "a", { uid, resourceVersion })).toBe(true);
      expect(await read(bench)).toBeUndefined();
    });
  });

  describe("deletion propagation", () => {
    // While a finalizer of ours holds the object nothing else touches these.
    const finalizersAfter = async (bench: Bench, propagationPolicy?: string) =>
      (await remove(bench, propagationPolicy ? { propagationPolicy } : {})).metadata.finalizers;

    test("is kept as a finalizer, which a later deletion can still change", async () => {
      const bench = await open();
      await held(bench);
      expect(await finalizersAfter(bench, "Orphan")).toEqual([ours, "orphan"]);
      expect(await finalizersAfter(bench)).toContain(ours);
      const { metadata } = await remove(bench, { propagationPolicy: "Foreground" });
      expect(metadata.finalizers).toContain("foregroundDeletion");
      expect(metadata.finalizers).not.toContain("orphan");
      expect(await finalizersAfter(bench, "Background")).toEqual([ours]);
    });

    test("holds an object that has no other finalizer", async () => {
      const bench = await open();
      await bench.admin.create(ConfigMap, configMap({ namespace: bench.namespace, name: "a" }));
      const { metadata } = await remove(bench, { propagationPolicy: "Orphan" });
      expect(metadata.finalizers).toEqual(["orphan"]);
      await bench.admin.patch(ConfigMap, bench.namespace, "a", "merge", { metadata: { finalizers: null } });
      expect(await read(bench)).toBeUndefined();
    });
  });

  describe("generation", () => {
    test("starts at 1, follows spec and deletion, and nothing else", async () => {
      const { admin, namespace } = await open();
      const generation = async () => (await admin.get(StatefulSet, namespace, "set"))?.metadata.generation;
      const patch = (value: unknown, subresource?: string) =>
        admin.patch(StatefulSet, namespace, "set", "merge", value, subresource ? { subresource } : {});

      await admin.create(StatefulSet, statefulSet({ namespace, name: "set", finalizers: [ours], generation: 5 }));
      expect(await generation()).toBe(1);
      await patch({ metadata: { annotations: { a: "1" } } });
      await patch({ status: { replicas: 0, observedGeneration: 1 } }, "status");
      expect(await generation()).toBe(1);
      await patch({ spec: { revisionHistoryLimit: 3 } });
      expect(await generation()).toBe(2);
      await admin.delete(StatefulSet, namespace, "set");
      await admin.delete(StatefulSet, namespace, "set");
      expect(await generation()).toBe(3);
      await patch({ metadata: { finalizers: null } });
      expect(await generation()).toBeUndefined();
    });
  });
}
