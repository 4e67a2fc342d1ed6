import { expect } from "vitest";
import { PersistentVolumeClaim, Pod, pathOf } from "../../../shared/kubernetes/kind.ts";
import { Namespace, PersistentVolume } from "../../worlds/kinds.ts";
import type { World } from "../../worlds/world.ts";
import { noticesOn } from "../recorded-events.ts";
import type { Scenario } from "../scenario.ts";
import {
  boundClaim,
  claimGoes,
  claimIsHeld,
  claimOf,
  claimStays,
  createPod,
  deleteClaim,
  isRunning,
  kubeletRefuses,
  node,
  podOf,
  podRuns,
  protectedClaim,
  runningPod,
  strip,
  stripInTree,
} from "./helpers.ts";

/** A pod as users have them: the scheduler gives it a node, the kubelet runs it. */
async function scheduledPod(world: World, name: string, claims: readonly string[]): Promise<void> {
  await createPod(world, name, claims, undefined, { schedulerName: "default-scheduler" });
}

/**
 * A finalizer of the scenario's own. It alone is stripped in the end: the functions may not have done with the others.
 */
const hold = "a.example/hold";

interface Table {
  columnDefinitions: { name: string }[];
  rows: { cells: unknown[] }[];
}

/** Whole lives of claims and pods, with scheduler, kubelet and volumes doing their half. */
export const clusterLife: readonly Scenario[] = [
  {
    title: "a claim whose pod is gone is deleted at once",
    async run(world) {
      const { admin, namespace } = world;
      await boundClaim(world, "data");
      await scheduledPod(world, "web", ["data"]);
      await podRuns(world, "web");
      await admin.delete(Pod, namespace, "web");
      await world.eventually("the pod is gone", async () => !(await podOf(world, "web")));
      await deleteClaim(world, "data");
      await claimGoes(world, "data");
    },
  },
  {
    title: "a claim deleted under its pod keeps its volume until the pod is gone; then both go",
    async run(world) {
      const { admin, namespace } = world;
      const { spec } = await boundClaim(world, "data");
      const { volumeName } = spec as { volumeName: string };
      await scheduledPod(world, "web", ["data"]);
      await podRuns(world, "web");
      await deleteClaim(world, "data");
      await claimIsHeld(world, "data");
      await claimStays(world, "data");
      expect(await isRunning(world, "web")).toBe(true);
      const volume = await admin.get(PersistentVolume, undefined, volumeName);
      expect(volume).toMatchObject({ status: { phase: "Bound" } });

      await admin.delete(Pod, namespace, "web");
      await claimGoes(world, "data");
      await world.eventually("the volume goes, too", async () => {
        return !(await admin.get(PersistentVolume, undefined, volumeName));
      });
    },
  },
  {
    title:
      "a second pod is not scheduled while the claim is being deleted, has an Event that says why, " +
      "and does not hold the claim",
    async run(world) {
      const { admin, namespace } = world;
      await boundClaim(world, "data");
      await scheduledPod(world, "first", ["data"]);
      await podRuns(world, "first");
      await deleteClaim(world, "data");
      await claimIsHeld(world, "data");

      await scheduledPod(world, "second", ["data"]);
      await world.eventually("the scheduler refuses the second pod", async () => {
        const status = (await podOf(world, "second"))?.status as { conditions?: { type: string; reason?: string }[] };
        return status.conditions?.some(({ type, reason }) => type === "PodScheduled" && reason === "Unschedulable");
      });
      await claimStays(world, "data");
      await admin.delete(Pod, namespace, "second");
      await claimStays(world, "data");

      await admin.delete(Pod, namespace, "first");
      await claimGoes(world, "data");
    },
  },
  {
    title: "kubectl shows a held claim as Terminating",
    async run(world) {
      const { admin, namespace } = world;
      await protectedClaim(world, "data");
      await runningPod(world, "web", ["data"]);
      await deleteClaim(world, "data");
      await claimIsHeld(world, "data");
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
    async run(world) {
      await protectedClaim(world, "data", { finalizers: [hold] });
      await createPod(world, "web", ["data"]);
      await deleteClaim(world, "data");
      const [notice] = await world.eventually("the pod is warned", async () => {
        const notices = await noticesOn(world, "Pod", "web");
        return notices.length > 0 && notices;
      });
      expect(notice).toMatchObject({ type: "Warning", reason: "ClaimBeingDeleted" });
      expect(notice?.note).toContain("PVC (data) is in scheduled for deletion state");
      await strip(world, "data", hold);
    },
  },
  {
    title: "a pod that waits for two claims is warned of both when the second one is deleted, too",
    byEventsOnly: true,
    async run(world) {
      const claims = ["data", "logs"];
      for (const name of claims) await protectedClaim(world, name, { finalizers: [hold] });
      await createPod(world, "web", claims);
      const warnedOf = (names: string) =>
        world.eventually(`the pod is warned of ${names}`, async () => {
          const notices = await noticesOn(world, "Pod", "web");
          return notices.length === 1 && notices[0]?.note.includes(`PVC (${names})`);
        });
      await deleteClaim(world, "data");
      await warnedOf("data");
      await deleteClaim(world, "logs");
      await warnedOf("data, logs");
      for (const name of claims) await strip(world, name, hold);
    },
  },
  {
    title: "a pod whose node got it too late is not started, and has an Event that says why",
    byEventsOnly: true,
    async run(world) {
      const { admin, namespace } = world;
      // Nothing but the finalizer of somebody else keeps the claim: the kubelet treats it as gone.
      await boundClaim(world, "data", { finalizers: [hold] });
      await deleteClaim(world, "data");
      await stripInTree(world, "data");
      await world.eventually("only the other finalizer is left", async () => {
        return (await claimOf(world, "data"))?.metadata.finalizers?.join() === hold;
      });
      await createPod(world, "web", ["data"], node);
      await kubeletRefuses(world, "web");
      expect(await isRunning(world, "web")).toBe(false);
      // A change of the claim triggers the function that warns.
      await admin.patch(PersistentVolumeClaim, namespace, "data", "merge", { metadata: { labels: { step: "1" } } });
      const [notice] = await world.eventually("the pod is warned", async () => {
        const notices = await noticesOn(world, "Pod", "web");
        return notices.length > 0 && notices;
      });
      expect(notice?.note).toContain("can't start pod (web) because it's using PVC (data) that is being deleted");
      await strip(world, "data", hold);
    },
  },
  {
    title: "a namespace that is deleted goes with its pods and claims",
    async run(world) {
      const { admin, namespace } = world;
      for (const name of ["free", "used"]) await boundClaim(world, name);
      await createPod(world, "web", ["used"], node);
      await podRuns(world, "web");
      await admin.delete(Namespace, undefined, namespace);
      await world.eventually(
        "the namespace is gone",
        async () => !(await admin.get(Namespace, undefined, namespace)),
        180_000,
      );
    },
  },
  {
    title: "a claim in a namespace that is going is held by its pod, although no Event can say so",
    async run(world) {
      const { admin, namespace } = world;
      await protectedClaim(world, "data");
      await runningPod(world, "web", ["data"]);
      await admin.delete(Namespace, undefined, namespace);
      await deleteClaim(world, "data");
      await stripInTree(world, "data");
      await claimIsHeld(world, "data");
      await claimStays(world, "data");
      await admin.delete(Pod, namespace, "web", { gracePeriodSeconds: 0 });
      await claimGoes(world, "data");
    },
  },
];
