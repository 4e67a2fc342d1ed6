import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readManifests } from "../../eventing/read-manifests.ts";
import { fieldManager, holdsField } from "../../functions/pvc-retention/lib/field-managers.ts";
import { policyKey } from "../../functions/pvc-retention/lib/policy.ts";
import type { RetentionPolicy, StatefulSet } from "../../functions/pvc-retention/lib/stateful-set.ts";
import { type Client, createClient } from "../../shared/kubernetes/client.ts";
import { type Kind, Namespace, pathOf, StatefulSet as Sets } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { manifest, statefulSet } from "../harness/manifest.ts";
import type { Bench } from "../harness/server.ts";

const group = "admissionregistration.k8s.io/v1";
const [Policy, Binding] = (["MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"] as const).map(
  (kind): Kind => ({
    apiVersion: group,
    kind,
    plural: kind === "MutatingAdmissionPolicy" ? "mutatingadmissionpolicies" : "mutatingadmissionpolicybindings",
    namespaced: false,
  }),
) as [Kind, Kind];

const both = "DeleteOnScaledownAndStatefulSetDeletion";
const field = (whenDeleted: string, whenScaled: string) => ({ whenDeleted, whenScaled }) as RetentionPolicy;
const [deletes, keeps] = [field("Delete", "Delete"), field("Retain", "Retain")];

/** A client in the name of sync-policy's account, or of one of its name in another namespace, with every right. */
function syncPolicy({ transport, clock }: Pick<Bench, "transport" | "clock">, namespace = "holdfast"): Client {
  const headers = {
    "impersonate-user": `system:serviceaccount:${namespace}:pvc-retention-sync-policy`,
    "impersonate-group": "system:masters",
  };
  return createClient((request) => transport({ ...request, headers: { ...request.headers, ...headers } }), { clock });
}

/**
 * The admission policy of PVC retention as it is shipped: in the write that changes a policy to one that keeps, so does
 * the field.
 */
export function retentionPolicy(open: () => Promise<Bench>): void {
  describe("the admission policy of PVC retention", () => {
    /** The policy on the sets of a namespace of its own. */
    async function install(): Promise<Bench> {
      const bench = await open();
      const { admin, namespace } = bench;
      const name = `retention-${namespace}`;
      const files = readManifests([join(import.meta.dirname, "../../knative/pvc-retention/admission-policy")]);
      const specOf = (kind: Kind) => files.find(({ object }) => object.kind === kind.kind)?.object.spec as object;
      const matchResources = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } } };
      await admin.create(Policy, manifest(Policy, { name }, { spec: specOf(Policy) }));
      const spec = { ...specOf(Binding), policyName: name, matchResources };
      await admin.create(Binding, manifest(Binding, { name }, { spec }));
      onTestFinished(async () => {
        await admin.delete(Binding, undefined, name);
        await admin.delete(Policy, undefined, name);
      });
      // A real server learns of policies by watching them.
      let probes = 0;
      await bench.eventually("the policy is in force", async () => {
        const probe = await projected(bench, { name: `probe-${++probes}` });
        const set = await change(bench, probe, annotated({ [policyKey]: "Retain" }));
        return set.spec.persistentVolumeClaimRetentionPolicy?.whenScaled === "Retain";
      });
      return bench;
    }

    /** A set whose policy was written onto its field, as sync-policy does. */
    async function projected(
      bench: Bench,
      {
        name = "set",
        policy = both,
        value = deletes,
      }: { name?: string; policy?: string; value?: RetentionPolicy } = {},
    ): Promise<StatefulSet> {
      const { admin, namespace } = bench;
      await admin.create(Sets, statefulSet({ namespace, name, annotations: { [policyKey]: policy } }));
      return project(bench, name, { spec: { persistentVolumeClaimRetentionPolicy: value } });
    }

    /** What sync-policy applies, under the name of its account; `client` is another user's. */
    async function project(
      bench: Pick<Bench, "transport" | "clock" | "namespace">,
      name: string,
      applied: { metadata?: object; spec?: object },
      client = syncPolicy(bench),
    ): Promise<StatefulSet> {
      const { namespace } = bench;
      const patch = manifest(Sets, { namespace, name, ...applied.metadata }, { spec: applied.spec });
      const options = { fieldManager, force: true };
      return (await client.patch<StatefulSet>(Sets, namespace, name, "apply", patch, options))!;
    }

    const change = async (
      { admin, namespace }: Bench,
      { metadata }: KubernetesObject,
      patch: object,
      type: "merge" | "strategic" | "json" = "merge",
    ) => (await admin.patch<StatefulSet>(Sets, namespace, metadata.name, type, patch))!;

    const annotated = (annotations: Record<string, string | null>) => ({
      metadata: { annotations },
      spec: { replicas: 0, minReadySeconds: 1 },
    });

    test.each<[string, Record<string, string | null>, RetentionPolicy]>([
      ["Retain", { [policyKey]: "Retain" }, keeps],
      ["a policy that is unknown", { [policyKey]: "retain" }, keeps],
      ["none", { [policyKey]: null }, keeps],
      ["one that keeps at a scale-down", { [policyKey]: "DeleteOnStatefulSetDeletionOnly" }, field("Delete", "Retain")],
      ["one that keeps at a deletion", { [policyKey]: "DeleteOnScaledownOnly" }, field("Retain", "Delete")],
    ])("from one that deletes to %s", async (_, annotations, expected) => {
      const bench = await install();
      const set = await change(bench, await projected(bench), annotated(annotations));
      expect(set.spec.persistentVolumeClaimRetentionPolicy).toEqual(expected);
      // The value is still what sync-policy holds: it goes on from there without a conflict.
      expect(holdsField(set, "whenScaled")).toBe(true);
      await project(bench, "set", { spec: { persistentVolumeClaimRetentionPolicy: deletes } });
    });

    test.each<[string, (bench: Bench, set: StatefulSet) => Promise<unknown>]>([
      [
        "a strategic merge patch",
        (bench, set) => change(bench, set, annotated({ [policyKey]: "Retain" }), "strategic"),
      ],
      [
        "a JSON Patch",
        (bench, set) => {
          const path = "/metadata/annotations/holdfast.dev~1pvc-delete-policy";
          return change(bench, set, [{ op: "replace", path, value: "" }], "json");
        },
      ],
      [
        "server-side apply",
        ({ admin }, { metadata: { namespace, name } }) => {
          const applied = manifest(Sets, {
            ...(namespace ? { namespace } : {}),
            name,
            annotations: { [policyKey]: "Retain" },
          });
          return admin.patch(Sets, namespace, name, "apply", applied, { fieldManager: "gitops", force: true });
        },
      ],
      [
        "a PUT",
        ({ admin }, { metadata: { managedFields: _, resourceVersion: __, ...metadata }, ...set }) => {
          const body = { ...set, metadata: { ...metadata, annotations: { [policyKey]: "Retain" } } };
          return admin.request("PUT", pathOf(Sets, metadata.namespace, metadata.name), body);
        },
      ],
    ])("by %s", async (_, write) => {
      const bench = await install();
      const before = await projected(bench);
      expect(before.spec.persistentVolumeClaimRetentionPolicy).toEqual(deletes);
      await write(bench, before);
      const after = await bench.admin.get<StatefulSet>(Sets, bench.namespace, "set");
      expect(after?.spec.persistentVolumeClaimRetentionPolicy).toEqual(keeps);
      expect(after && holdsField(after, "whenScaled")).toBe(true);
    });

    test("a change of something else changes nothing", async () => {
      const bench = await install();
      const set = await change(bench, await projected(bench), annotated({ "a.example/note": "Retain" }));
      expect(set.spec.persistentVolumeClaimRetentionPolicy).toEqual(deletes);
    });

    test("a policy that deletes as much as before changes nothing", async () => {
      const bench = await install();
      const before = await projected(bench, { policy: "DeleteOnScaledownOnly" });
      const set = await change(bench, before, annotated({ [policyKey]: both }));
      expect(set.spec.persistentVolumeClaimRetentionPolicy).toEqual(deletes);
    });

    test("it never makes the field delete", async () => {
      const bench = await install();
      const before = await projected(bench, { policy: "Retain", value: keeps });
      const set = await change(bench, before, annotated({ [policyKey]: both }));
      expect(set.spec.persistentVolumeClaimRetentionPolicy).toEqual(keeps);
    });

    /** A user has chosen a value by creating the set with it, which project only notes. */
    async function chosen(bench: Bench, policy: string): Promise<StatefulSet> {
      const { admin, namespace } = bench;
      const metadata = { namespace, name: "set", annotations: { [policyKey]: policy } };
      const set = await admin.create(Sets, statefulSet(metadata, { persistentVolumeClaimRetentionPolicy: deletes }));
      await project(bench, "set", { metadata: { annotations: { "a.example/note": "held" } } });
      return set as StatefulSet;
    }

    test("a value that another manager has chosen gives way to a policy that keeps, in the very write", async () => {
      const bench = await install();
      const after = await change(bench, await chosen(bench, both), annotated({ [policyKey]: "Retain" }));
      expect(after.spec.persistentVolumeClaimRetentionPolicy).toEqual(keeps);
    });

    test("a value that another manager has chosen stays when the policy goes", async () => {
      const bench = await install();
      const after = await change(bench, await chosen(bench, both), annotated({ [policyKey]: null }));
      expect(after.spec.persistentVolumeClaimRetentionPolicy).toEqual(deletes);
    });

    test("a set is created with a field that keeps what its policy keeps", async () => {
      const bench = await install();
      const set = await chosen(bench, "DeleteOnScaledownOnly");
      expect(set.spec.persistentVolumeClaimRetentionPolicy).toEqual(field("Retain", "Delete"));
    });

    test("what another user applies as the same field manager keeps what the policy keeps", async () => {
      const bench = await install();
      const { admin, namespace } = bench;
      await admin.create(Sets, statefulSet({ namespace, name: "set", annotations: { [policyKey]: "Retain" } }));
      const set = await project(bench, "set", { spec: { persistentVolumeClaimRetentionPolicy: deletes } }, admin);
      expect(set.spec.persistentVolumeClaimRetentionPolicy).toEqual(keeps);
    });

    test("an account of sync-policy's name in another namespace cannot set the field to Delete", async () => {
      const bench = await install();
      const { admin, namespace } = bench;
      await admin.create(Sets, statefulSet({ namespace, name: "set", annotations: { [policyKey]: "Retain" } }));
      const impostor = syncPolicy(bench, "shop");
      const set = await project(bench, "set", { spec: { persistentVolumeClaimRetentionPolicy: deletes } }, impostor);
      expect(set.spec.persistentVolumeClaimRetentionPolicy).toEqual(keeps);
    });

    test("what sync-policy writes stays as it is, because it has read the namespace itself", async () => {
      const bench = await install();
      const { admin, namespace } = bench;
      await admin.create(Sets, statefulSet({ namespace, name: "set", annotations: { [policyKey]: "Retain" } }));
      const set = await project(bench, "set", { spec: { persistentVolumeClaimRetentionPolicy: deletes } });
      expect(set.spec.persistentVolumeClaimRetentionPolicy).toEqual(deletes);
    });

    test("what a namespace keeps by default its sets keep in their next write, unless they say otherwise", async () => {
      const bench = await install();
      const { admin, namespace } = bench;
      const given = { persistentVolumeClaimRetentionPolicy: deletes };
      const metadata = { annotations: { [policyKey]: "Retain" } };
      await admin.patch(Namespace, undefined, namespace, "merge", { metadata });
      let probes = 0;
      await bench.eventually("the server has seen the namespace", async () => {
        const probe = { namespace, name: `default-${++probes}` };
        const set = (await admin.create(Sets, statefulSet(probe, given))) as StatefulSet;
        return set.spec.persistentVolumeClaimRetentionPolicy?.whenDeleted === "Retain";
      });
      const own = { namespace, name: "own", annotations: { [policyKey]: both } };
      const set = (await admin.create(Sets, statefulSet(own, given))) as StatefulSet;
      expect(set.spec.persistentVolumeClaimRetentionPolicy).toEqual(deletes);
    });
  });
}
