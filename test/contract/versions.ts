import { describe, expect, test } from "vitest";
import { isAlreadyExists, isConflict } from "../../shared/kubernetes/api-error.ts";
import { pathOf } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { ConfigMap, Namespace } from "../harness/kinds.ts";
import { configMap, manifest } from "../harness/manifest.ts";
import type { Bench } from "../harness/server.ts";
import { failure } from "./failure.ts";

const foreignUid = "11111111-1111-4111-8111-111111111111";

/** What a version is, and what guards a write against a change in between. */
export function versions(open: () => Promise<Bench>): void {
  const put = ({ admin, namespace }: Bench, object: KubernetesObject) =>
    admin.request<KubernetesObject>("PUT", pathOf(ConfigMap, namespace, "a"), object);

  describe("versions", () => {
    test("every write raises the decimal resourceVersion, and one that changes nothing does not", async () => {
      const { admin, namespace } = await open();
      const created = await admin.create(ConfigMap, configMap({ namespace, name: "a" }, { key: "1" }));
      const change = { data: { key: "2" } };
      const changed = await admin.patch(ConfigMap, namespace, "a", "merge", change);
      const unchanged = await admin.patch(ConfigMap, namespace, "a", "merge", change);

      expect(created.metadata.resourceVersion).toMatch(/^[1-9][0-9]*$/);
      expect(BigInt(changed?.metadata.resourceVersion ?? 0)).toBeGreaterThan(BigInt(created.metadata.resourceVersion));
      expect(unchanged?.metadata.resourceVersion).toBe(changed?.metadata.resourceVersion);
    });

    test("one counter serves all kinds", async () => {
      const { admin, namespace } = await open();
      const first = await admin.create(ConfigMap, configMap({ namespace, name: "a" }));
      const { metadata } = await admin.request<KubernetesObject>("GET", `/api/v1/namespaces/${namespace}/pods`);
      expect(BigInt(metadata.resourceVersion)).toBeGreaterThanOrEqual(BigInt(first.metadata.resourceVersion));
    });

    test("an update with a stale resourceVersion is a conflict", async () => {
      const bench = await open();
      const { admin, namespace } = bench;
      const read = await admin.create(ConfigMap, configMap({ namespace, name: "a" }, { key: "1" }));
      await admin.patch(ConfigMap, namespace, "a", "merge", { data: { key: "2" } });

      const error = await failure(put(bench, { ...read, data: { key: "3" } }));
      expect(error).toMatchObject({ status: 409, reason: "Conflict" });
      expect(isConflict(error)).toBe(true);
      expect(error.message).toContain(
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; ' +
          "please apply your changes to the latest version and try again",
      );
    });

    test("an update without a resourceVersion is unconditional, and replaces the whole object", async () => {
      const bench = await open();
      const { admin, namespace } = bench;
      const read = await admin.create(ConfigMap, configMap({ namespace, name: "a", labels: { l: "1" } }, { key: "1" }));
      const updated = await put(bench, configMap({ namespace, name: "a" }, { other: "2" }));
      expect(updated.metadata.uid).toBe(read.metadata.uid);
      expect(updated.metadata.creationTimestamp).toBe(read.metadata.creationTimestamp);
      expect(updated.metadata.labels).toBeUndefined();
      expect(updated.data).toEqual({ other: "2" });
    });

    test("an update of another incarnation is a conflict", async () => {
      const bench = await open();
      await bench.admin.create(ConfigMap, configMap({ namespace: bench.namespace, name: "a" }));
      const error = await failure(put(bench, configMap({ namespace: bench.namespace, name: "a", uid: foreignUid })));
      expect(error).toMatchObject({ status: 409, reason: "Conflict" });
      expect(isConflict(error)).toBe(true);
    });

    test("an update whose name is not the URL's is a bad request", async () => {
      const bench = await open();
      await bench.admin.create(ConfigMap, configMap({ namespace: bench.namespace, name: "a" }));
      const error = await failure(put(bench, configMap({ namespace: bench.namespace, name: "b" })));
      expect(error).toMatchObject({ status: 400, reason: "BadRequest" });
    });

    test("a patch without a resourceVersion applies to any version; with a stale one it is a conflict", async () => {
      const { admin, namespace } = await open();
      const read = await admin.create(ConfigMap, configMap({ namespace, name: "a" }, { key: "1" }));
      await admin.patch(ConfigMap, namespace, "a", "merge", { data: { key: "2" } });
      const { resourceVersion } = read.metadata;

      const error = await failure(
        admin.patch(ConfigMap, namespace, "a", "merge", { metadata: { resourceVersion }, data: { key: "3" } }),
      );
      expect(error).toMatchObject({ status: 409, reason: "Conflict" });
      expect(isConflict(error)).toBe(true);
    });

    test.each(["merge", "strategic"] as const)(
      "a %s patch with another uid is invalid, and counts as a conflict",
      async (type) => {
        const { admin, namespace } = await open();
        await admin.create(ConfigMap, configMap({ namespace, name: "a" }));
        const error = await failure(
          admin.patch(ConfigMap, namespace, "a", type, { metadata: { uid: foreignUid }, data: { key: "3" } }),
        );
        expect(error).toMatchObject({ status: 422, reason: "Invalid" });
        expect(error.causes).toContainEqual({
          reason: "FieldValueInvalid",
          message: `Invalid value: "${foreignUid}": field is immutable`,
          field: "metadata.uid",
        });
        expect(isConflict(error)).toBe(true);
      },
    );

    test("a create that finds the name taken says so, and is no conflict", async () => {
      const { admin, namespace } = await open();
      await admin.create(ConfigMap, configMap({ namespace, name: "a" }));
      const error = await failure(admin.create(ConfigMap, configMap({ namespace, name: "a" })));
      expect(error).toMatchObject({ status: 409, reason: "AlreadyExists" });
      expect(error.message).toContain('configmaps "a" already exists');
      expect([isAlreadyExists(error), isConflict(error)]).toEqual([true, false]);
    });

    test("a create must not carry a resourceVersion", async () => {
      const { admin, namespace } = await open();
      const error = await failure(admin.create(ConfigMap, configMap({ namespace, name: "a", resourceVersion: "1" })));
      expect(error.message).toContain("resourceVersion should not be set on objects to be created");
    });

    test("an object created again under its name has another uid", async () => {
      const { admin, namespace } = await open();
      const first = await admin.create(ConfigMap, configMap({ namespace, name: "a" }));
      await admin.delete(ConfigMap, namespace, "a");
      const second = await admin.create(ConfigMap, configMap({ namespace, name: "a", uid: first.metadata.uid }));
      expect(second.metadata.uid).not.toBe(first.metadata.uid);
    });

    test("uid, creationTimestamp and version come from the server, and not from a create", async () => {
      const { admin, namespace } = await open();
      const { metadata } = await admin.create(
        ConfigMap,
        configMap({ namespace, name: "a", uid: foreignUid, creationTimestamp: "2001-01-01T00:00:00Z", generation: 7 }),
      );
      expect(metadata.uid).not.toBe(foreignUid);
      expect(metadata.creationTimestamp).toMatch(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(metadata.creationTimestamp).not.toMatch(/^2001/);
    });
  });

  describe("generateName", () => {
    test("appends five characters to the prefix, which it cuts to 58", async () => {
      const { admin, namespace } = await open();
      const short = await admin.create(ConfigMap, configMap({ namespace, generateName: "claim-" }));
      const long = await admin.create(ConfigMap, configMap({ namespace, generateName: "x".repeat(70) }));
      expect(short.metadata.name).toMatch(/^claim-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
      expect(short.metadata.generateName).toBe("claim-");
      expect(long.metadata.name).toMatch(/^x{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    });

    test("names a namespace, too, and its label says the whole name", async () => {
      const { admin } = await open();
      const { metadata } = await admin.create(Namespace, manifest(Namespace, { generateName: "contract-" }));
      await admin.delete(Namespace, undefined, metadata.name);
      expect(metadata.name).toMatch(/^contract-[a-z0-9]{5}$/);
      expect(metadata.labels).toEqual({ "kubernetes.io/metadata.name": metadata.name });
    });

    test("yields to a name; without either the object is invalid", async () => {
      const { admin, namespace } = await open();
      const named = await admin.create(ConfigMap, configMap({ namespace, name: "named", generateName: "x-" }));
      expect(named.metadata.name).toBe("named");
      const error = await failure(admin.create(ConfigMap, configMap({ namespace })));
      expect(error).toMatchObject({ status: 422, reason: "Invalid" });
      expect(error.causes).toContainEqual(
        expect.objectContaining({ field: "metadata.name", reason: "FieldValueRequired" }),
      );
      expect(isConflict(error)).toBe(false);
    });
  });
}
