import { expect } from "vitest";
import { PersistentVolumeClaim, Pod, pathOf } from "../../../shared/kubernetes/kind.ts";
import type { Cluster } from "../../harness/cluster.ts";
import { Namespace, PersistentVolume } from "../../harness/kinds.ts";
import { noticeOn, noticesOn } from "../recorded-events.ts";
import type { Scenario } from "../scenario.ts";
import {
  boundClaim,
  claimGoes,
  claimIsHeld,
  claimOf,
  claimStays,
  createPod,
  deleteClaim,
  deleteHeldByUs,
  isRunning,
  kubeletRefuses,
  node,
  podOf,
  podRuns,
  protectedClaim,
  strip,
  usedClaim,
} from "./helpers.ts";
import { everywhere } from "./settings.ts";

/** A pod as users have them: the scheduler gives it a node, the kubelet runs it. */
async function scheduledPod(cluster: Cluster, name: string, claims: readonly string[]): Promise<void> {
  await createPod(cluster, name, claims, undefined, { schedulerName: "default-scheduler" });
}

/**
 * A finalizer of the scenario's own. Only this one is removed in the end: the functions may still need the others.
 */
const hold = "a.example/hold";

interface Table {
  columnDefinitions: { name: string }[];
  rows: { cells: unknown[] }[];
}

/** Whole lives of claims and pods, with scheduler, kubelet and volumes. */
export const clusterLife: readonly Scenario[] = [
  {
    title: "a claim whose pod is gone is deleted at once",
    async run(cluster) {
      const { admin, namespace } = cluster;
      await boundClaim(cluster, "data");
      await scheduledPod(cluster, "web", ["data"]);
      await podRuns(cluster, "web");
      await admin.delete(Pod, namespace, "web");
      await cluster.eventually("the pod is gone", async () => !(await podOf(cluster, "web")));
      await deleteClaim(cluster, "data");
      await claimGoes(cluster, "data");
    },
  },
  {
    title: "a claim that is deleted while its pod runs keeps its volume until the pod is gone, and then both go",
    settings: everywhere,
    async run(cluster) {
      const { admin, namespace } = cluster;
      const { spec } = await boundClaim(cluster, "data");
      const { volumeName } = spec as { volumeName: string };
      await scheduledPod(cluster, "web", ["data"]);
      await podRuns(cluster, "web");
      await deleteClaim(cluster, "data");
      await claimIsHeld(cluster, "data");
      await claimStays(cluster, "data");
      expect(await isRunning(cluster, "web")).toBe(true);
      const volume = await admin.get(PersistentVolume, undefined, volumeName);
      expect(volume).toMatchObject({ status: { phase: "Bound" } });

      await admin.delete(Pod, namespace, "web");
      await claimGoes(cluster, "data");
      await cluster.eventually("the volume goes, too", async () => {
        return !(await admin.get(PersistentVolume, undefined, volumeName));
      });
    },
  },
  {
    title:
      "a second pod is not scheduled while the claim is being deleted, has an Event that says why, " +
      "and does not hold the claim",
    async run(cluster) {
      const { admin, namespace } = cluster;
      await boundClaim(cluster, "data");
      await scheduledPod(cluster, "first", ["data"]);
      await podRuns(cluster, "first");
      await deleteClaim(cluster, "data");
      await claimIsHeld(cluster, "data");

      await scheduledPod(cluster, "second", ["data"]);
      await cluster.eventually("the scheduler refuses the second pod", async () => {
        const status = (await podOf(cluster, "second"))?.status as { conditions?: { type: string; reason?: string }[] };
        return status.conditions?.some(({ type, reason }) => type === "PodScheduled" && reason === "Unschedulable");
      });
      await claimStays(cluster, "data");
      await admin.delete(Pod, namespace, "second");
      await claimStays(cluster, "data");

      await admin.delete(Pod, namespace, "first");
      await claimGoes(cluster, "data");
    },
  },
  {
    title: "kubectl shows a held claim as Terminating",
    async run(cluster) {
      const { admin, namespace } = cluster;
      await usedClaim(cluster);
      await deleteClaim(cluster, "data");
      await claimIsHeld(cluster, "data");
      const table = await admin.request<Table>("GET", pathOf(PersistentVolumeClaim, namespace, "data"), undefined, {
        accept: "application/json;as=Table;v=v1;g=meta.k8s.io",
      });
      const status = table.columnDefinitions.findIndex(({ name }) => name === "Status");
      expect(table.rows[0]?.cells[status]).toBe("Terminating");
    },
  },
  {
    title: "a pod that waits for a node is warned when its claim is deleted",
    byEventsOnly: true,
    async run(cluster) {
      await protectedClaim(cluster, "data", { finalizers: [hold] });
      await createPod(cluster, "web", ["data"]);
      await deleteClaim(cluster, "data");
      const notice = await noticeOn(cluster, "Pod", "web");
      expect(notice).toMatchObject({ type: "Warning", reason: "ClaimBeingDeleted" });
      expect(notice.note).toContain("PVC (data) is in scheduled for deletion state");
      await strip(cluster, "data", hold);
    },
  },
  {
    title: "a pod that waits for two claims is warned of both when the second one is deleted, too",
    byEventsOnly: true,
    async run(cluster) {
      const claims = ["data", "logs"];
      for (const name of claims) await protectedClaim(cluster, name, { finalizers: [hold] });
      await createPod(cluster, "web", claims);
      const warnedOf = (names: string) =>
        cluster.eventually(`the pod is warned of ${names}`, async () => {
          const notices = await noticesOn(cluster, "Pod", "web");
          return notices.length === 1 && notices[0]?.note.includes(`PVC (${names})`);
        });
      await deleteClaim(cluster, "data");
      await warnedOf("data");
      await deleteClaim(cluster, "logs");
      await warnedOf("data, logs");
      for (const name of claims) await strip(cluster, name, hold);
    },
  },
  {
    title: "a pod that is bound after its claim was released is not started, and an Event says why",
    byEventsOnly: true,
    async run(cluster) {
      const { admin, namespace } = cluster;
      // Only a finalizer that is not Holdfast's keeps the claim: the kubelet treats it as gone.
      await boundClaim(cluster, "data", { finalizers: [hold] });
      await deleteHeldByUs(cluster, "data");
      await cluster.eventually("only the other finalizer is left", async () => {
        return (await claimOf(cluster, "data"))?.metadata.finalizers?.join() === hold;
      });
      await createPod(cluster, "web", ["data"], node);
      await kubeletRefuses(cluster, "web");
      expect(await isRunning(cluster, "web")).toBe(false);
      // A change of the claim triggers the function that warns.
      await admin.patch(PersistentVolumeClaim, namespace, "data", "merge", { metadata: { labels: { step: "1" } } });
      const notice = await noticeOn(cluster, "Pod", "web");
      expect(notice.note).toContain("can't start pod (web) because it's using PVC (data) that is being deleted");
      await strip(cluster, "data", hold);
    },
  },
  {
    title: "a deleted namespace is removed with its pods and claims",
    settings: everywhere,
    async run(cluster) {
      const { admin, namespace } = cluster;
      for (const name of ["free", "used"]) await boundClaim(cluster, name);
      await createPod(cluster, "web", ["used"], node);
      await podRuns(cluster, "web");
      await admin.delete(Namespace, undefined, namespace);
      await cluster.eventually(
        "the namespace is gone",
        async () => !(await admin.get(Namespace, undefined, namespace)),
        180_000,
      );
    },
  },
  {
    title: "a claim in a namespace that is being deleted is held by its pod, although no Event can be recorded",
    async run(cluster) {
      const { admin, namespace } = cluster;
      await usedClaim(cluster);
      await admin.delete(Namespace, undefined, namespace);
      await deleteHeldByUs(cluster, "data");
      await claimIsHeld(cluster, "data");
      await claimStays(cluster, "data");
      await admin.delete(Pod, namespace, "web", { gracePeriodSeconds: 0 });
      await claimGoes(cluster, "data");
    },
  },
];
