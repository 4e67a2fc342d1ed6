import { describe, expect, test } from "vitest";
import { isConflict } from "../../shared/kubernetes/api-error.ts";
import type { PatchOptions } from "../../shared/kubernetes/client.ts";
import type { KubernetesObject, ObjectMeta } from "../../shared/kubernetes/object.ts";
import { ConfigMap } from "../harness/kinds.ts";
import { configMap } from "../harness/manifest.ts";
import type { Bench } from "../harness/server.ts";
import { failure } from "./failure.ts";
import { owners } from "./owners.ts";

/** Server-side apply: who holds which field, and what happens when a manager stops. */
export function serverSideApply(open: () => Promise<Bench>): void {
  type Data = KubernetesObject & { data?: Record<string, string> };
  const apply = (
    { admin, namespace }: Bench,
    fieldManager: string,
    metadata: Partial<ObjectMeta>,
    data?: Record<string, string>,
    options: PatchOptions = {},
  ) => {
    const object = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a", ...metadata },
      ...(data ? { data } : {}),
    };
    return admin.patch<Data>(ConfigMap, namespace, "a", "apply", object, { fieldManager, ...options });
  };

  describe("server-side apply", () => {
    test("creates what is not there", async () => {
      const bench = await open();
      const created = await apply(bench, "one", {}, { a: "1" });
      expect(created?.data).toEqual({ a: "1" });
      expect(await bench.admin.get(ConfigMap, bench.namespace, "a")).toEqual(created);
    });

    test("merges what several managers say, finalizers as a set", async () => {
      const bench = await open();
      await apply(bench, "one", { finalizers: ["a.example/1"], labels: { one: "1" } }, { a: "1" });
      const both = await apply(bench, "two", { finalizers: ["a.example/2"], labels: { two: "1" } }, { b: "1" });
      expect(both?.metadata.finalizers).toEqual(["a.example/1", "a.example/2"]);
      expect(both?.metadata.labels).toEqual({ one: "1", two: "1" });
      expect(both?.data).toEqual({ a: "1", b: "1" });
    });

    test("takes away what a manager no longer says, unless another says it too", async () => {
      const bench = await open();
      await apply(bench, "one", { finalizers: ["a.example/1", "a.example/shared"] }, { a: "1", shared: "1" });
      await apply(bench, "two", { finalizers: ["a.example/shared"] }, { shared: "1" });
      const left = await apply(bench, "one", {});
      expect(left?.metadata.finalizers).toEqual(["a.example/shared"]);
      expect(left?.data).toEqual({ shared: "1" });
    });

    test("keeps what was written without apply", async () => {
      const bench = await open();
      const { admin, namespace } = bench;
      await admin.create(ConfigMap, configMap({ namespace, name: "a", finalizers: ["a.example/user"] }, { user: "1" }));
      await apply(bench, "one", { finalizers: ["a.example/1"] }, { a: "1" });
      const left = await apply(bench, "one", {});
      expect(left?.metadata.finalizers).toEqual(["a.example/user"]);
      expect(left?.data).toEqual({ user: "1" });
    });

    test("keeps owner references apart by uid", async () => {
      const bench = await open();
      const [one, two] = await owners(bench);
      await apply(bench, "one", { ownerReferences: [one] });
      const both = await apply(bench, "two", { ownerReferences: [two] });
      expect(both?.metadata.ownerReferences).toEqual([one, two]);
      const left = await apply(bench, "one", {});
      expect(left?.metadata.ownerReferences).toEqual([two]);
    });

    test(
      "refuses to change a field that another manager holds, names manager and field, " +
        "and reading again does not help",
      async () => {
        const bench = await open();
        await apply(bench, "one", {}, { a: "1" });
        const error = await failure(apply(bench, "two", {}, { a: "2" }));
        expect(error).toMatchObject({ status: 409, reason: "Conflict" });
        expect(error.message).toContain('Apply failed with 1 conflict: conflict with "one": .data.a');
        expect(error.causes).toEqual([
          { reason: "FieldManagerConflict", message: 'conflict with "one"', field: ".data.a" },
        ]);
        expect(isConflict(error)).toBe(false);
      },
    );

    test("takes the field over by force; the one it belonged to then loses it without a word", async () => {
      const bench = await open();
      await apply(bench, "one", {}, { a: "1" });
      const forced = await apply(bench, "two", {}, { a: "2" }, { force: true });
      expect(forced?.data).toEqual({ a: "2" });
      const left = await apply(bench, "one", {});
      expect(left?.data).toEqual({ a: "2" });
    });

    test("an unchanged apply is no write", async () => {
      const bench = await open();
      const first = await apply(bench, "one", {}, { a: "1" });
      const again = await apply(bench, "one", {}, { a: "1" });
      expect(again?.metadata.resourceVersion).toBe(first?.metadata.resourceVersion);
    });

    test("with the uid of another incarnation creates nothing", async () => {
      const bench = await open();
      const error = await failure(apply(bench, "one", { uid: "11111111-1111-4111-8111-111111111111" }, {}));
      expect(error).toMatchObject({ status: 409, reason: "Conflict" });
      expect(isConflict(error)).toBe(true);
    });

    test("needs a field manager, and no managedFields", async () => {
      const bench = await open();
      const anonymous = await failure(apply(bench, "", {}, {}));
      expect(anonymous).toMatchObject({ status: 422, reason: "Invalid" });
      expect(anonymous.causes.map((cause) => cause.field)).toEqual(["fieldManager"]);
      const managed = await failure(apply(bench, "one", { managedFields: [{ manager: "one" }] }, {}));
      expect(managed).toMatchObject({ status: 400, reason: "BadRequest" });
      expect(managed.message).toContain("metadata.managedFields must be nil");
    });
  });
}
