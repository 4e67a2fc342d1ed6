import { describe, expect, test } from "vitest";
import { Event, PersistentVolumeClaim } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { ConfigMap, Namespace, PersistentVolume } from "../harness/kinds.ts";
import { claim, configMap, manifest, persistentVolume } from "../harness/manifest.ts";
import type { Bench } from "../harness/server.ts";
import { failure } from "./failure.ts";

/** What the server adds to an object, or refuses, before it is stored. */
export function admission(open: () => Promise<Bench>): void {
  describe("protection of storage objects in use", () => {
    test("adds its finalizer to a new claim, beside those it has, once", async () => {
      const { admin, namespace } = await open();
      const finalizers = async (name: string, finalizers?: string[]) => {
        const metadata = { namespace, name, ...(finalizers ? { finalizers } : {}) };
        return (await admin.create(PersistentVolumeClaim, claim(metadata))).metadata.finalizers;
      };
      expect(await finalizers("bare")).toEqual(["kubernetes.io/pvc-protection"]);
      expect(await finalizers("other", ["a.example/1"])).toEqual(["a.example/1", "kubernetes.io/pvc-protection"]);
      expect(await finalizers("own", ["kubernetes.io/pvc-protection"])).toEqual(["kubernetes.io/pvc-protection"]);
    });

    test("adds its finalizer to a new volume", async () => {
      const { admin, namespace } = await open();
      const name = `contract-${namespace}`;
      const spec = { storageClassName: "none", hostPath: { path: "/tmp/contract" } };
      const { metadata } = await admin.create(PersistentVolume, persistentVolume({ name }, spec));
      await admin.delete(PersistentVolume, undefined, name);
      await admin.patch(PersistentVolume, undefined, name, "merge", { metadata: { finalizers: null } });
      expect(metadata.finalizers).toEqual(["kubernetes.io/pv-protection"]);
    });
  });

  describe("claims", () => {
    test("start Pending, and their status belongs to its subresource", async () => {
      const { admin, namespace } = await open();
      await admin.create(PersistentVolumeClaim, claim({ namespace, name: "a" }));
      const patch = (subresource?: string) =>
        admin.patch(
          PersistentVolumeClaim,
          namespace,
          "a",
          "merge",
          { status: { phase: "Lost" } },
          subresource ? { subresource } : {},
        );
      expect(await patch()).toMatchObject({ spec: { volumeMode: "Filesystem" }, status: { phase: "Pending" } });
      expect(await patch("status")).toMatchObject({ status: { phase: "Lost" } });
    });

    test("take a volume once, and change nothing else of their spec", async () => {
      const { admin, namespace } = await open();
      await admin.create(PersistentVolumeClaim, claim({ namespace, name: "a" }));
      const patch = (spec: object) => admin.patch(PersistentVolumeClaim, namespace, "a", "merge", { spec });
      expect(await patch({ volumeName: "pv-1" })).toMatchObject({ spec: { volumeName: "pv-1" } });
      for (const spec of [{ volumeName: "pv-2" }, { accessModes: ["ReadOnlyMany"] }]) {
        const error = await failure(patch(spec));
        expect(error).toMatchObject({ status: 422, reason: "Invalid" });
        expect(error.causes.map((cause) => cause.field)).toContain("spec");
      }
    });
  });

  describe("a namespace", () => {
    test("that is not there takes no objects", async () => {
      const { admin } = await open();
      const error = await failure(admin.create(ConfigMap, configMap({ namespace: "no-such-namespace", name: "a" })));
      expect(error).toMatchObject({ status: 404, reason: "NotFound" });
      expect(error.message).toContain('namespaces "no-such-namespace" not found');
    });

    test("carries its name as a label and the finalizer kubernetes in its spec", async () => {
      const { admin, namespace } = await open();
      expect(await admin.get(Namespace, undefined, namespace)).toMatchObject({
        metadata: { labels: { "kubernetes.io/metadata.name": namespace } },
        spec: { finalizers: ["kubernetes"] },
        status: { phase: "Active" },
      });
    });

    test("being deleted takes nothing new, Events included, and lets what is there be changed", async () => {
      const { admin, namespace } = await open();
      await admin.create(ConfigMap, configMap({ namespace, name: "held", finalizers: ["a.example/1"] }));
      await admin.delete(Namespace, undefined, namespace);
      expect(await admin.get(Namespace, undefined, namespace)).toMatchObject({ status: { phase: "Terminating" } });

      const event = {
        eventTime: "2026-01-01T00:00:00.000000Z",
        reportingController: "holdfast.dev/contract",
        reportingInstance: "contract",
        action: "Release",
        reason: "ClaimInUse",
        type: "Normal",
        regarding: { apiVersion: "v1", kind: "ConfigMap", namespace, name: "held" },
      };
      const refused: [string, () => Promise<KubernetesObject | undefined>][] = [
        ['configmaps "late"', () => admin.create(ConfigMap, configMap({ namespace, name: "late" }))],
        ['events.events.k8s.io "late"', () => admin.create(Event, manifest(Event, { namespace, name: "late" }, event))],
        [
          'configmaps "new"',
          () => admin.patch(ConfigMap, namespace, "new", "apply", configMap({ name: "new" }), { fieldManager: "one" }),
        ],
      ];
      for (const [object, call] of refused) {
        const error = await failure(call());
        expect(error).toMatchObject({ status: 403, reason: "Forbidden" });
        expect(error.message).toContain(
          `${object} is forbidden: unable to create new content in namespace ${namespace} because it is being ` +
            "terminated",
        );
        expect(error.causes).toEqual([
          {
            reason: "NamespaceTerminating",
            message: `namespace ${namespace} is being terminated`,
            field: "metadata.namespace",
          },
        ]);
      }

      const patched = await admin.patch(ConfigMap, namespace, "held", "merge", { data: { key: "1" } });
      expect(patched).toMatchObject({ data: { key: "1" } });
      await admin.patch(ConfigMap, namespace, "held", "merge", { metadata: { finalizers: null } });
    });
  });

  describe("a name", () => {
    test.each([
      ["capitals", "Upper"],
      ["an underscore", "under_score"],
      ["a dash in front", "-dash"],
      ["a dot at the end", "dot."],
      ["254 characters", "x".repeat(254)],
    ])("with %s is invalid", async (_, name) => {
      const { admin, namespace } = await open();
      const error = await failure(admin.create(PersistentVolumeClaim, claim({ namespace, name })));
      expect(error).toMatchObject({ status: 422, reason: "Invalid" });
      expect(error.causes.map((cause) => cause.field)).toContain("metadata.name");
    });

    test.each([
      ["dots and dashes", "a.b-c.d"],
      ["253 characters", `${"x".repeat(251)}.y`],
    ])("with %s is valid", async (_, name) => {
      const { admin, namespace } = await open();
      await admin.create(PersistentVolumeClaim, claim({ namespace, name }));
      expect((await admin.get(PersistentVolumeClaim, namespace, name))?.metadata.name).toBe(name);
    });
  });
}
