import { describe, expect, test } from "vitest";
import { StatefulSet } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { statefulSet } from "../harness/manifest.ts";
import type { Bench } from "../harness/server.ts";
import { failure } from "./failure.ts";

/** What the API says of StatefulSets, without their controller. */
export function statefulSets(open: () => Promise<Bench>): void {
  describe("a StatefulSet", () => {
    const template = { metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"] } };

    test("is completed with defaults", async () => {
      const { admin, namespace } = await open();
      const requests = { resources: { requests: { storage: "1Gi" } } };
      const claims = [{ metadata: { name: "data", labels: {} }, spec: { ...template.spec, ...requests } }];
      const written = statefulSet({ namespace, name: "set" }, { replicas: undefined, volumeClaimTemplates: claims });
      const { metadata, spec, status } = (await admin.create(StatefulSet, written)) as SetObject;
      expect([metadata.generation, status]).toEqual([1, { replicas: 0, availableReplicas: 0 }]);
      const { template: pods, ...rest } = spec;
      expect(rest).toEqual({
        replicas: 1,
        serviceName: "set",
        selector: { matchLabels: { app: "set" } },
        podManagementPolicy: "OrderedReady",
        revisionHistoryLimit: 10,
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
        volumeClaimTemplates: [
          {
            apiVersion: "v1",
            kind: "PersistentVolumeClaim",
            metadata: { name: "data" },
            spec: { accessModes: ["ReadWriteOnce"], resources: requests.resources, volumeMode: "Filesystem" },
            status: { phase: "Pending" },
          },
        ],
      });
      expect(pods).toMatchObject({ metadata: { labels: { app: "set" } }, spec: { restartPolicy: "Always" } });
    });

    test("keeps the half of the retention policy that is given", async () => {
      const { admin, namespace } = await open();
      const policy = { persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete" } };
      expect(await admin.create(StatefulSet, statefulSet({ namespace, name: "set" }, policy))).toMatchObject({
        spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Delete" } },
      });
    });

    test("drops what its template says about nothing, and maxUnavailable", async () => {
      const { admin, namespace } = await open();
      const pods = { metadata: { labels: { app: "set" }, annotations: {} }, spec: podSpec };
      const updateStrategy = { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 2 } };
      const written = statefulSet({ namespace, name: "set" }, { template: pods, updateStrategy });
      const { spec } = (await admin.create(StatefulSet, written)) as SetObject;
      expect(spec.template.metadata).toEqual({ labels: { app: "set" } });
      expect(spec.updateStrategy).toEqual({ type: "RollingUpdate", rollingUpdate: { partition: 0 } });
    });

    test.each<[string, Record<string, unknown>, string[]]>([
      ["a name that no host could have", { serviceName: "" }, ["metadata.name"]],
      [
        "an unknown retention",
        { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Keep", whenScaled: "Keep" } },
        [
          "spec.persistentVolumeClaimRetentionPolicy.whenDeleted",
          "spec.persistentVolumeClaimRetentionPolicy.whenScaled",
        ],
      ],
      [
        "a claim without a size",
        { volumeClaimTemplates: [template] },
        ["spec.volumeClaimTemplates[0].spec.resources[storage]"],
      ],
      ["no selector", { selector: undefined }, ["spec.selector", "spec.template.metadata.labels"]],
      ["a selector of other pods", { selector: { matchLabels: { app: "other" } } }, ["spec.template.metadata.labels"]],
      ["fewer than no replicas", { replicas: -1 }, ["spec.replicas"]],
    ])("is refused with %s", async (what, spec, fields) => {
      const { admin, namespace } = await open();
      const name = what.startsWith("a name") ? "a.b" : "set";
      const error = await failure(admin.create(StatefulSet, statefulSet({ namespace, name }, spec)));
      expect(error).toMatchObject({ status: 422, reason: "Invalid" });
      expect(error.causes.map(({ field }) => field)).toEqual(fields);
    });

    test.each<[string, object]>([
      ["serviceName", { serviceName: "other" }],
      ["selector", { selector: { matchLabels: { app: "set", more: "labels" } } }],
      ["podManagementPolicy", { podManagementPolicy: "Parallel" }],
      ["volumeClaimTemplates", { volumeClaimTemplates: [template] }],
    ])("keeps its %s", async (_, spec) => {
      const { admin, namespace } = await open();
      await admin.create(StatefulSet, statefulSet({ namespace, name: "set" }));
      const error = await failure(admin.patch(StatefulSet, namespace, "set", "merge", { spec }));
      expect(error).toMatchObject({ status: 422, reason: "Invalid" });
      expect(error.causes).toContainEqual({
        reason: "FieldValueForbidden",
        field: "spec",
        message:
          "Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', " +
          "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and " +
          "'minReadySeconds' are forbidden",
      });
    });

    test.each<object>([
      { replicas: 2 },
      { ordinals: { start: 3 } },
      { minReadySeconds: 5 },
      { revisionHistoryLimit: 3 },
      { updateStrategy: { type: "OnDelete", rollingUpdate: null } },
      { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" } },
      { template: { metadata: { annotations: { a: "b" } } } },
    ])("may change %j, which counts as a generation", async (spec) => {
      const { admin, namespace } = await open();
      await admin.create(StatefulSet, statefulSet({ namespace, name: "set" }));
      const changed = await admin.patch(StatefulSet, namespace, "set", "merge", { spec });
      expect(changed?.metadata.generation).toBe(2);
    });

    test("created by POST has the retention policy from its creator, who alone may apply another", async () => {
      const { admin, namespace } = await open();
      await admin.create(StatefulSet, statefulSet({ namespace, name: "set" }), { fieldManager: "creator" });
      const apply = (whenDeleted: string, force: boolean) => {
        const spec = { persistentVolumeClaimRetentionPolicy: { whenDeleted } };
        const wanted = { apiVersion: "apps/v1", kind: "StatefulSet", metadata: { namespace, name: "set" }, spec };
        return admin.patch<SetObject>(StatefulSet, namespace, "set", "apply", wanted, { fieldManager: "rule", force });
      };
      const refused = await failure(apply("Delete", false));
      expect(refused).toMatchObject({ status: 409, reason: "Conflict" });
      expect(refused.causes).toEqual([
        {
          reason: "FieldManagerConflict",
          field: ".spec.persistentVolumeClaimRetentionPolicy.whenDeleted",
          message: 'conflict with "creator" using apps/v1',
        },
      ]);
      // The same value is no conflict: both own it then.
      await apply("Retain", false);
      const taken = await apply("Delete", true);
      expect(taken?.spec.persistentVolumeClaimRetentionPolicy).toEqual({ whenDeleted: "Delete", whenScaled: "Retain" });
    });

    test("applied without a policy leaves the default without an owner", async () => {
      const { admin, namespace } = await open();
      const apply = (spec: object, fieldManager: string) =>
        admin.patch<SetObject>(
          StatefulSet,
          namespace,
          "set",
          "apply",
          { ...statefulSet({ namespace, name: "set" }), spec },
          { fieldManager },
        );
      await apply(statefulSet({ name: "set" }).spec as object, "creator");
      const policy = { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" } };
      expect((await apply(policy, "rule"))?.spec).toMatchObject({
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" },
      });
      // What no manager wants any more is the default again.
      expect((await apply({}, "rule"))?.spec).toMatchObject({
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
      });
    });

    test("is scaled by its subresource, which counts as a generation", async () => {
      const { admin, namespace } = await open();
      await admin.create(StatefulSet, statefulSet({ namespace, name: "set" }));
      const path = `/apis/apps/v1/namespaces/${namespace}/statefulsets/set/scale`;
      const scale = await admin.request<KubernetesObject>("GET", path);
      expect(scale).toMatchObject({ kind: "Scale", spec: {}, status: { replicas: 0 } });
      // Without a resourceVersion: the controller writes the set's status meanwhile.
      await admin.request("PUT", path, { ...scale, metadata: { name: "set", namespace }, spec: { replicas: 3 } });
      const patch = { spec: { replicas: 2 } };
      const scaled = await admin.patch(StatefulSet, namespace, "set", "merge", patch, { subresource: "scale" });
      expect(scaled).toMatchObject({ apiVersion: "autoscaling/v1", kind: "Scale", spec: { replicas: 2 } });
      expect(await admin.get(StatefulSet, namespace, "set")).toMatchObject({
        metadata: { generation: 3 },
        spec: { replicas: 2 },
      });
    });
  });
}

const podSpec = { schedulerName: "by-hand", containers: [{ name: "main", image: "registry.example/main:1" }] };

interface SetObject extends KubernetesObject {
  spec: { template: { metadata: unknown }; [field: string]: unknown };
}
