import { describe, expect, test } from "vitest";
import { customResourceDefinition } from "../../build/manifests/crd/definition.ts";
import { volumeDefinition } from "../../functions/volume/lib/definition.ts";
import type { ApiError } from "../../shared/kubernetes/api-error.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import { definitionsDeleted } from "../harness/definitions-deleted.ts";
import { realServer } from "../harness/real-server.ts";
import { ownCluster } from "./own-cluster.ts";

const cluster = ownCluster;
const definitions: Kind = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
};

/** Under a group of its own, because other tests use the same server. */
const kind: Kind = { ...volumeDefinition.kind, apiVersion: "before.holdfast.test/v1alpha1" };
const ours = customResourceDefinition({ ...volumeDefinition, kind });

/** As MetalK8s has it, which validates nothing that spans fields or is more than a type. */
const withoutValidations = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, inner) => (["x-kubernetes-validations", "pattern"].includes(key) ? undefined : inner)),
  );

/** What our definition refuses, by the field that it names. */
const wrong: Readonly<Record<string, object>> = {
  "exactly one of": { sparseLoopDevice: { size: "1Gi" }, rawBlockDevice: { devicePath: "/dev/sdb" } },
  devicePath: { rawBlockDevice: { devicePath: "/devices/x" } },
  size: { sparseLoopDevice: { size: "10E" } },
  labels: { sparseLoopDevice: { size: "1Gi" }, template: { metadata: { labels: { a: "b c" } } } },
  nodeName: { nodeName: "Worker_0", sparseLoopDevice: { size: "1Gi" } },
  vgName: { lvmLogicalVolume: { vgName: "a/b", size: "1Gi" } },
};

describe.skipIf(!cluster)("Volumes that MetalK8s' definition has let in", () => {
  if (!cluster) return;
  const server = realServer(cluster.kubeconfig);
  const { admin, eventually } = server;
  const volume = (name: string, spec: object) => ({
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name, finalizers: ["holdfast.test/kept"] },
    spec: { nodeName: "n0", storageClassName: "metalk8s", ...spec },
  });
  /** A definition takes a moment to be served. */
  const served = (what: () => Promise<unknown>) =>
    eventually("the definition is served", () => what().then(Boolean, () => false));

  test("are refused when they are new, and can be worked on and let go when they are there", async () => {
    const entries = Object.entries(wrong).map(([field, spec], index) => ({ field, spec, name: `v${index}` }));
    await admin.create(definitions, withoutValidations(ours) as never);
    try {
      for (const { name, spec } of entries)
        await served(() =>
          admin.create(kind, volume(name, spec) as never).catch(() => admin.get(kind, undefined, name)),
        );
      await admin.patch(definitions, undefined, ours.metadata.name, "merge", ours);
      for (const { field, spec } of entries) {
        // Each try has a name of its own: the former definition lets the first ones in.
        let tries = 0;
        const refusal = () =>
          admin.create(kind, volume(`new-${field.length}-${tries++}`, spec) as never).then(
            () => undefined,
            // Between two definitions the kind is not served for a moment.
            (error: ApiError) => (error.status === 422 ? error.message : undefined),
          );
        expect(await eventually("it is refused", refusal)).toContain(field);
      }
      for (const { name } of entries) {
        const status = { phase: "Failed", job: "PrepareVolume/20260301115940123456" };
        await admin.patch(kind, undefined, name, "merge", { status }, { subresource: "status" });
        await admin.patch(kind, undefined, name, "merge", { metadata: { annotations: { seen: "yes" } } });
        await admin.delete(kind, undefined, name);
        await admin.patch(kind, undefined, name, "merge", { metadata: { finalizers: null } });
        expect(await admin.get(kind, undefined, name)).toBeUndefined();
      }
    } finally {
      for await (const { metadata } of admin.list(kind))
        await admin.patch(kind, undefined, metadata.name, "merge", { metadata: { finalizers: null } });
      await admin.delete(definitions, undefined, ours.metadata.name);
      await definitionsDeleted(server, [ours.metadata.name]);
    }
  });
});
