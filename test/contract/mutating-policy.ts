import { describe, expect, onTestFinished, test } from "vitest";
import { type Kind, PersistentVolumeClaim } from "../../shared/kubernetes/kind.ts";
import type { ObjectMeta } from "../../shared/kubernetes/object.ts";
import { claim, manifest } from "../harness/manifest.ts";
import type { Bench } from "../harness/server.ts";

const group = "admissionregistration.k8s.io/v1";
const Policy: Kind = {
  apiVersion: group,
  kind: "MutatingAdmissionPolicy",
  plural: "mutatingadmissionpolicies",
  namespaced: false,
};
const Binding: Kind = {
  apiVersion: group,
  kind: "MutatingAdmissionPolicyBinding",
  plural: "mutatingadmissionpolicybindings",
  namespaced: false,
};

/** MutatingAdmissionPolicy as far as a finalizer stamped at creation needs it. */
export function mutatingPolicy(open: () => Promise<Bench>): void {
  const finalizer = "holdfast.dev/contract";

  /** Stamps the finalizer on the new claims of the bench's namespace, and returns once it does. */
  async function stamp(bench: Bench, spec: Record<string, unknown> = {}): Promise<void> {
    const { admin, namespace } = bench;
    const name = `contract-${namespace}`;
    const expression = `Object{metadata: Object.metadata{finalizers: ["${finalizer}"]}}`;
    const policy = {
      matchConstraints: {
        resourceRules: [
          { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["persistentvolumeclaims"] },
        ],
      },
      failurePolicy: "Ignore",
      reinvocationPolicy: "Never",
      mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: { expression } }],
      ...spec,
    };
    const matchResources = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } } };
    await admin.create(Policy, manifest(Policy, { name }, { spec: policy }));
    await admin.create(Binding, manifest(Binding, { name }, { spec: { policyName: name, matchResources } }));
    onTestFinished(async () => {
      await admin.delete(Binding, undefined, name);
      await admin.delete(Policy, undefined, name);
    });
    // A real server learns of policies by watching them.
    await bench.eventually("the policy is in force", async () => {
      const { metadata } = await admin.create(PersistentVolumeClaim, claim({ namespace, generateName: "probe-" }));
      return metadata.finalizers?.includes(finalizer);
    });
  }

  const create = async ({ admin, namespace }: Bench, metadata: Partial<ObjectMeta>) =>
    (await admin.create(PersistentVolumeClaim, claim({ namespace, ...metadata }))).metadata.finalizers?.toSorted();

  describe("a MutatingAdmissionPolicy", () => {
    test("adds a finalizer to those of the user and of the server", async () => {
      const bench = await open();
      await stamp(bench);
      expect(await create(bench, { name: "bare" })).toEqual([finalizer, "kubernetes.io/pvc-protection"]);
      expect(await create(bench, { name: "user", finalizers: ["a.example/1"] })).toEqual([
        "a.example/1",
        finalizer,
        "kubernetes.io/pvc-protection",
      ]);
      expect(await create(bench, { name: "has", finalizers: [finalizer] })).toEqual([
        finalizer,
        "kubernetes.io/pvc-protection",
      ]);
    });

    test("adds it to claims that server-side apply creates", async () => {
      const bench = await open();
      await stamp(bench);
      const options = { fieldManager: "user" };
      const wanted = claim({ name: "applied", finalizers: ["a.example/1"] });
      const created = await bench.admin.patch(
        PersistentVolumeClaim,
        bench.namespace,
        "applied",
        "apply",
        wanted,
        options,
      );
      expect(created?.metadata.finalizers?.toSorted()).toEqual([
        "a.example/1",
        finalizer,
        "kubernetes.io/pvc-protection",
      ]);
    });

    test("leaves other namespaces, other operations and claims outside its selector alone", async () => {
      const bench = await open();
      const other = await open();
      const { admin, namespace } = bench;
      await create(bench, { name: "before" });
      await stamp(bench, {
        matchConstraints: {
          objectSelector: { matchExpressions: [{ key: "a.example/skip", operator: "DoesNotExist" }] },
          resourceRules: [
            { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["persistentvolumeclaims"] },
          ],
        },
      });
      expect(await create(other, { name: "elsewhere" })).toEqual(["kubernetes.io/pvc-protection"]);
      expect(await create(bench, { name: "skipped", labels: { "a.example/skip": "" } })).toEqual([
        "kubernetes.io/pvc-protection",
      ]);
      const updated = await admin.patch(PersistentVolumeClaim, namespace, "before", "merge", {
        metadata: { labels: { l: "1" } },
      });
      expect(updated?.metadata.finalizers).toEqual(["kubernetes.io/pvc-protection"]);
    });

    test("adds only where its matchConditions hold", async () => {
      const bench = await open();
      await stamp(bench, {
        matchConditions: [{ name: "wanted", expression: "!object.metadata.?labels['a.example/skip'].hasValue()" }],
      });
      expect(await create(bench, { name: "skipped", labels: { "a.example/skip": "" } })).not.toContain(finalizer);
      expect(await create(bench, { name: "labelled", labels: { "a.example/other": "" } })).toContain(finalizer);
    });
  });
}
