import { expect } from "vitest";
import { StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { Call, Cluster } from "../../harness/cluster.ts";
import { manifest } from "../../harness/manifest.ts";
import { noticesOn } from "../recorded-events.ts";
import type { Scenario } from "../scenario.ts";
import {
  annotateNamespace,
  annotateSet,
  belongsTo,
  changePolicy,
  claimOf,
  dataGoes,
  dataOf,
  dataStays,
  deleteSet,
  eventIsCleared,
  fieldBecomes,
  fieldOf,
  hasEvent,
  inForce,
  isForgotten,
  podIsGone,
  policyKey,
  progressOn,
  runningData,
  runningSet,
  scale,
  set,
  setOf,
  touch,
} from "./helpers.ts";
import { both, onDeletion, onScaledown } from "./policies.ts";
import { admitted } from "./settings.ts";

const ours = "holdfast-pvc-retention";

interface ManagedFields {
  manager: string;
  fieldsV1: { "f:spec"?: { "f:persistentVolumeClaimRetentionPolicy"?: object } };
}

/** Who holds a value of the field, by the names of the managers. */
async function holdersOf(cluster: Cluster): Promise<string[]> {
  const entries = ((await setOf(cluster)).metadata.managedFields ?? []) as ManagedFields[];
  return entries
    .filter(({ fieldsV1 }) => {
      const held = fieldsV1["f:spec"]?.["f:persistentVolumeClaimRetentionPolicy"] ?? {};
      return "f:whenDeleted" in held || "f:whenScaled" in held;
    })
    .map(({ manager }) => manager)
    .sort();
}

/** Another client, by the name of a field manager, writes a value: as an update, or by server-side apply. */
async function choose(
  cluster: Cluster,
  fieldManager: string,
  whenDeleted: string,
  whenScaled: string,
  by: "merge" | "apply" = "merge",
): Promise<void> {
  const { admin, namespace } = cluster;
  const spec = { persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } };
  const patch = by === "merge" ? { spec } : manifest(StatefulSet, { namespace, name: set }, { spec });
  const options = by === "merge" ? { fieldManager } : { fieldManager, force: true };
  await admin.patch(StatefulSet, namespace, set, by, patch, options);
}

const isHeldNow = (cluster: Cluster) =>
  cluster.eventually(
    "that is written down",
    async () => progressOn(await setOf(cluster), "sync-policy")?.step === "held",
  );

/** What the policy makes of the set's own field. */
export const projecting: readonly Scenario[] = [
  {
    title: "the field's default is replaced by the policy, although the creator of the set holds it",
    async run(cluster) {
      await runningSet(cluster);
      expect(await fieldOf(cluster)).toBe("Retain/Retain");
      await changePolicy(cluster, both);
      expect(await fieldOf(cluster)).toBe("Delete/Delete");
      expect(await holdersOf(cluster)).toEqual([ours]);
      await changePolicy(cluster, onScaledown);
      expect(await fieldOf(cluster)).toBe("Retain/Delete");
    },
  },
  {
    title: "a Retain that another manager applies stays under a namespace's policy that deletes, and an Event names it",
    async run(cluster) {
      await runningSet(cluster);
      await choose(cluster, "flux", "Retain", "Retain", "apply");
      const data = await dataOf(cluster, [0, 1]);
      await annotateNamespace(cluster, { [policyKey]: both });
      const held = await hasEvent(cluster, "StatefulSet", set, "RetentionPolicyHeld");
      expect(held).toMatchObject({ type: "Warning" });
      expect(held.note).toContain("flux keeps claims by it");
      await isHeldNow(cluster);
      expect(await fieldOf(cluster)).toBe("Retain/Retain");
      await scale(cluster, 1);
      await podIsGone(cluster, 1);
      await dataStays(cluster, [0, 1], data);

      // The manager that holds it lets go, and the Warning is cleared.
      const { admin, namespace } = cluster;
      const nothing = manifest(StatefulSet, { namespace, name: set });
      await admin.patch(StatefulSet, namespace, set, "apply", nothing, { fieldManager: "flux" });
      await inForce(cluster, both);
      await eventIsCleared(cluster, "StatefulSet", set, "RetentionPolicyHeld");
      expect(await fieldOf(cluster)).toBe("Delete/Delete");
    },
  },
  {
    title: "if another manager applies one half of the field, that half stays, and the other follows the policy",
    async run(cluster) {
      await runningSet(cluster);
      const { admin, namespace } = cluster;
      const spec = { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain" } };
      const patch = manifest(StatefulSet, { namespace, name: set }, { spec });
      await admin.patch(StatefulSet, namespace, set, "apply", patch, { fieldManager: "flux", force: true });
      await annotateSet(cluster, { [policyKey]: both });
      await fieldBecomes(cluster, "Retain/Delete");
      await isHeldNow(cluster);
      expect(await holdersOf(cluster)).toContain("flux");
    },
  },
  {
    title: "a Delete of another manager is changed where the policy keeps claims, and an Event says so",
    async run(cluster) {
      await runningSet(cluster);
      await choose(cluster, "helm", "Delete", "Delete");
      await annotateSet(cluster, { [policyKey]: onScaledown });
      await fieldBecomes(cluster, "Retain/Delete");
      if (cluster.setting === admitted) return;
      const held = await hasEvent(cluster, "StatefulSet", set, "RetentionPolicyHeld");
      expect(held.note).toContain("keeps claims that helm had it delete");
      await cluster.rest();
      await hasEvent(cluster, "StatefulSet", set, "RetentionPolicyHeld");
    },
  },
  {
    title: "a Delete of another manager that the policy asks for as well stays with that manager",
    async run(cluster) {
      await runningSet(cluster);
      await choose(cluster, "helm", "Delete", "Delete");
      await annotateSet(cluster, { [policyKey]: both });
      await inForce(cluster, both);
      expect(await holdersOf(cluster)).toEqual(["helm"]);
    },
  },
  {
    title: "a value that another manager has set back three times stays, and an Event says so",
    async run(cluster) {
      await runningSet(cluster, { policy: onDeletion });
      for (let round = 0; round < 3; round++) {
        await fieldBecomes(cluster, "Delete/Retain");
        await choose(cluster, "argocd", "Retain", "Retain");
      }
      const fought = await hasEvent(cluster, "StatefulSet", set, "RetentionPolicyTakenBack");
      expect(fought).toMatchObject({ type: "Warning" });
      expect(fought.note).toContain("{whenDeleted: Retain, whenScaled: Retain} is in force");
      await cluster.rest();
      expect(await fieldOf(cluster)).toBe("Retain/Retain");

      await annotateSet(cluster, { "holdfast.dev/pvc-retention.sync-policy": null });
      await fieldBecomes(cluster, "Delete/Retain");
    },
  },
  {
    title:
      "claims that were scaled away under Retain stay when a set is deleted whose field another manager made Delete",
    async run(cluster) {
      const data = await runningData(cluster, { policy: "Retain" });
      await scale(cluster, 1);
      await podIsGone(cluster, 1);
      for (let round = 0; round < 4; round++) {
        await fieldBecomes(cluster, "Retain/Retain");
        await choose(cluster, "argocd", "Delete", "Retain");
      }
      await hasEvent(cluster, "StatefulSet", set, "RetentionPolicyTakenBack");
      await cluster.rest();
      await deleteSet(cluster);
      await dataGoes(cluster, [0], data);
      await dataStays(cluster, [1], data.slice(1));
    },
  },
  {
    title: "if the policy is removed and another manager's field deletes, Kubernetes' owner references stay",
    within: true,
    async run(cluster) {
      const data = await runningData(cluster, { policy: onDeletion });
      for (const ordinal of [0, 1]) await belongsTo(cluster, ordinal, ["StatefulSet web"]);
      await choose(cluster, "helm", "Delete", "Retain", "apply");
      await cluster.rest();
      const before = cluster.calls.length;
      await annotateSet(cluster, { [policyKey]: null });
      await isForgotten(cluster);
      await touch(cluster);
      await cluster.rest();
      const owners = ({ rule, request }: Call) =>
        rule === "pvc-retention/set-owner" && request.body?.includes("/metadata/ownerReferences");
      expect(cluster.calls.slice(before).filter(owners)).toEqual([]);
      for (const ordinal of [0, 1]) {
        await belongsTo(cluster, ordinal, ["StatefulSet web"]);
        expect(progressOn((await claimOf(cluster, ordinal)) as never, "set-owner")).toBeUndefined();
      }
      await deleteSet(cluster);
      await dataGoes(cluster, [0, 1], data);
    },
  },
  {
    title: "when the policy is removed, the field has its default again, and nothing of Holdfast is left",
    async run(cluster) {
      const data = await runningData(cluster, { policy: both });
      await annotateSet(cluster, { [policyKey]: null });
      await isForgotten(cluster);
      expect(await fieldOf(cluster)).toBe("Retain/Retain");
      expect(await holdersOf(cluster)).not.toContain(ours);
      await scale(cluster, 1);
      await podIsGone(cluster, 1);
      await dataStays(cluster, [0, 1], data);
      await deleteSet(cluster);
      await dataStays(cluster, [0, 1], data);
    },
  },
  {
    title: "a namespace's policy is the default of its existing and its new sets",
    async run(cluster) {
      const data = await runningData(cluster);
      await annotateNamespace(cluster, { [policyKey]: onScaledown });
      await inForce(cluster, onScaledown);
      await scale(cluster, 1);
      await dataGoes(cluster, [1], data.slice(1));

      await runningSet(cluster, { name: "later", replicas: 1 });
      await inForce(cluster, onScaledown, "later");
      await runningSet(cluster, { name: "own", replicas: 1, policy: "Retain" });
      const kept = await dataOf(cluster, [0], "own");
      await scale(cluster, 0, "own");
      await podIsGone(cluster, 0, "own");
      await dataStays(cluster, [0], kept, "own");
    },
  },
  {
    title: "when a namespace's policy is removed, the claims of its sets are kept",
    async run(cluster) {
      await annotateNamespace(cluster, { [policyKey]: both });
      await runningSet(cluster);
      await inForce(cluster, both);
      const data = await dataOf(cluster, [0, 1]);
      await annotateNamespace(cluster, { [policyKey]: null });
      await isForgotten(cluster);
      await deleteSet(cluster);
      await dataStays(cluster, [0, 1], data);
    },
  },
  {
    title: "an unknown policy keeps all claims, and an Event says so until it is corrected",
    async run(cluster) {
      await runningSet(cluster, { policy: "DeleteEverything" });
      const unknown = await hasEvent(cluster, "StatefulSet", set, "PolicyUnreadable");
      expect(unknown).toMatchObject({ type: "Warning" });
      expect(unknown.note).toContain('"DeleteEverything"');
      await annotateSet(cluster, { [policyKey]: "DeleteSomething" });
      await cluster.eventually("an Event names the new unknown policy", async () => {
        const { note } = await hasEvent(cluster, "StatefulSet", set, "PolicyUnreadable");
        return note.includes('"DeleteSomething"');
      });
      const data = await dataOf(cluster, [0, 1]);
      await scale(cluster, 1);
      await podIsGone(cluster, 1);
      await dataStays(cluster, [0, 1], data);

      await changePolicy(cluster, onScaledown);
      await eventIsCleared(cluster, "StatefulSet", set, "PolicyUnreadable");
      await dataStays(cluster, [1], data.slice(1));
      await scale(cluster, 0);
      await dataGoes(cluster, [0], data);
    },
  },
  {
    title: "an unknown policy in place of one that deleted keeps all claims",
    async run(cluster) {
      const data = await runningData(cluster, { policy: both });
      await annotateSet(cluster, { [policyKey]: "delete" });
      await hasEvent(cluster, "StatefulSet", set, "PolicyUnreadable");
      await fieldBecomes(cluster, "Retain/Retain");
      await belongsTo(cluster, 0, []);
      await belongsTo(cluster, 1, []);
      await deleteSet(cluster);
      await dataStays(cluster, [0, 1], data);
    },
  },
  {
    title: "a set without a policy is not changed, also if its own field says Delete",
    async run(cluster) {
      await runningSet(cluster);
      await choose(cluster, "kubectl", "Delete", "Retain");
      await touch(cluster);
      await cluster.rest();
      const { metadata } = await setOf(cluster);
      expect(Object.keys(metadata.annotations ?? {})).toEqual(["scenario.example/touched"]);
      expect(await fieldOf(cluster)).toBe("Delete/Retain");
      expect(await holdersOf(cluster)).not.toContain(ours);
      expect(await noticesOn(cluster, "StatefulSet", set)).toEqual([]);
    },
  },
];
