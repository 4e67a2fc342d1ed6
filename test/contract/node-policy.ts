import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readManifests } from "../../eventing/read-manifests.ts";
import { changedLabel } from "../../functions/satellite/lib/matching/candidate.ts";
import { type Kind, Node } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { manifest } from "../harness/manifest.ts";
import type { Bench } from "../harness/server.ts";

const group = "admissionregistration.k8s.io/v1";
const kindOf = (kind: string, plural: string): Kind => ({ apiVersion: group, kind, plural, namespaced: false });
const Policy = kindOf("MutatingAdmissionPolicy", "mutatingadmissionpolicies");
const Binding = kindOf("MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings");

/**
 * The admission policy of satellites as it is shipped: a Node is labelled in the write that changes what functions go
 * by, and in no other.
 */
export function nodePolicy(open: () => Promise<Bench>): void {
  describe("the admission policy of satellites", () => {
    const labels = { zone: "a", rack: "1", "kubernetes.io/hostname": "n" };
    const taints = [
      { key: "one", value: "x", effect: "PreferNoSchedule" },
      { key: "two", effect: "PreferNoSchedule" },
    ];

    /** A Node whose label has been taken off, with the policy in force. */
    async function install(): Promise<{ bench: Bench; change: Change }> {
      const bench = await open();
      const { admin, namespace: name } = bench;
      const files = readManifests([join(import.meta.dirname, "../../knative/satellite/admission-policy/policy.yaml")]);
      const specOf = (kind: Kind) => files.find(({ object }) => object.kind === kind.kind)?.object.spec as object;
      await admin.create(Policy, manifest(Policy, { name }, { spec: specOf(Policy) }));
      await admin.create(Binding, manifest(Binding, { name }, { spec: { ...specOf(Binding), policyName: name } }));
      const made: string[] = [];
      const create = async (name: string) => {
        made.push(name);
        // The node controller taints a Node that is not ready, within five seconds.
        const time = new Date(bench.clock.now()).toISOString();
        const status = { conditions: [{ type: "Ready", status: "True", lastHeartbeatTime: time }] };
        const metadata = { name, labels, annotations: { note: "a" } };
        return admin.create(Node, manifest(Node, metadata, { spec: { taints }, status }));
      };
      onTestFinished(async () => {
        await admin.delete(Binding, undefined, name);
        await admin.delete(Policy, undefined, name);
        for (const node of made) await admin.delete(Node, undefined, node);
      });
      // A real server learns of policies by watching them.
      await bench.eventually("the policy labels a new Node", async () =>
        isLabelled(await create(`${name}-${made.length}`)),
      );
      const node = made.at(-1) as string;
      // A real server taints each new Node as not ready, and the node controller removes that: a change of taints.
      await bench.eventually("the Node has no other taints than its own", async () => {
        const spec = (await admin.get(Node, undefined, node))?.spec as { taints?: unknown[] } | undefined;
        return spec?.taints?.length === taints.length;
      });
      const change: Change = (patch, type = "merge", subresource) =>
        admin.patch(Node, undefined, node, type, patch, subresource ? { subresource } : {});
      expect(isLabelled(await change({ metadata: { labels: { [changedLabel]: null } } }))).toBe(false);
      return { bench, change };
    }

    test.each<[string, object]>([
      ["a label that is new", { metadata: { labels: { role: "storage" } } }],
      ["a label with another value", { metadata: { labels: { zone: "b" } } }],
      ["a label that is taken off", { metadata: { labels: { rack: null } } }],
      ["a taint that is new", { spec: { taints: [...taints, { key: "three", effect: "PreferNoSchedule" }] } }],
      ["a taint with another value", { spec: { taints: [{ ...taints[0], value: "y" }, taints[1]] } }],
      ["a taint that is taken off", { spec: { taints: [taints[0]] } }],
      ["the Machine that it is", { metadata: { annotations: { "cluster.x-k8s.io/machine": "m1" } } }],
    ])("labels a Node for %s, once, and not for taking the label off", async (_, patch) => {
      const { change } = await install();
      expect(isLabelled(await change(patch))).toBe(true);
      expect(isLabelled(await change({ metadata: { labels: { [changedLabel]: null } } }))).toBe(false);
      expect(isLabelled(await change(patch))).toBe(false);
    });

    test.each<[string, object, "status"?]>([
      [
        "a heartbeat",
        { status: { conditions: [{ type: "Ready", status: "True", lastHeartbeatTime: now }] } },
        "status",
      ],
      ["another annotation", { metadata: { annotations: { note: "b" } } }],
      ["taints in another order", { spec: { taints: taints.toReversed() } }],
      ["a cordon, which has its own taint", { spec: { unschedulable: true } }],
    ])("labels no Node for %s", async (_, patch, subresource) => {
      const { change } = await install();
      expect(isLabelled(await change(patch, "merge", subresource))).toBe(false);
    });
  });
}

type Change = (patch: object, type?: "merge", subresource?: "status") => Promise<KubernetesObject | undefined>;

const now = "2026-01-01T00:00:00Z";

const isLabelled = (node: KubernetesObject | undefined) => node?.metadata.labels?.[changedLabel] !== undefined;
