import { expect } from "vitest";
import { PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import { Namespace } from "../../harness/kinds.ts";
import { manifest } from "../../harness/manifest.ts";
import { setStatus } from "../../harness/set-status.ts";
import { callsOf } from "../calls-of.ts";
import { noticesOn } from "../recorded-events.ts";
import type { Scenario } from "../scenario.ts";
import { settled } from "../settled.ts";
import {
  bareNode,
  bind,
  claimGoes,
  claimIsHeld,
  claimOf,
  claimStays,
  createPod,
  deleteClaim,
  deleteHeldByUs,
  protectedClaim,
  removePod,
  runningPod,
  setPhase,
  stripInTree,
  usedClaim,
} from "./helpers.ts";
import { documentMode, everywhere } from "./settings.ts";

/** When a claim being deleted goes, and when it stays: the rows of the in-tree controller's own table. */
export const releasing: readonly Scenario[] = [
  {
    title: "a deleted claim that no pod uses is removed",
    async run(cluster) {
      await protectedClaim(cluster, "data");
      await deleteClaim(cluster, "data");
      await claimGoes(cluster, "data");
    },
  },
  {
    title: "two deleted claims of one namespace are removed, and a third one that is not deleted stays as it is",
    async run(cluster) {
      for (const name of ["a", "b", "c"]) await protectedClaim(cluster, name);
      for (const name of ["a", "b"]) await deleteClaim(cluster, name);
      for (const name of ["a", "b"]) await claimGoes(cluster, name);
      expect((await claimOf(cluster, "c"))?.metadata.deletionTimestamp).toBeUndefined();
    },
  },
  {
    title: "deleted claims of two namespaces are removed",
    async run(cluster) {
      const { admin } = cluster;
      const name = `${cluster.namespace}-b`;
      await admin.create(Namespace, manifest(Namespace, { name }));
      try {
        const worlds = [cluster, { ...cluster, namespace: name }];
        for (const each of worlds) await protectedClaim(each, "data");
        for (const each of worlds) await deleteClaim(each, "data");
        for (const each of worlds) await claimGoes(each, "data");
      } finally {
        await admin.delete(Namespace, undefined, name);
      }
    },
  },
  {
    title: "a deleted claim stays while a pod uses it, names the pod, and is removed when the pod is gone",
    settings: everywhere,
    async run(cluster) {
      const { metadata } = await usedClaim(cluster);
      await deleteHeldByUs(cluster, "data");

      expect((await claimIsHeld(cluster, "data")).pods).toEqual([{ pod: "web", node: bareNode }]);
      const notices = await noticesOn(cluster, "PersistentVolumeClaim", "data");
      expect(notices).toEqual([expect.objectContaining({ reason: "DeletionPostponed", type: "Normal" })]);
      expect(notices[0]?.note).toContain(`pod web on node ${bareNode}`);
      expect(notices[0]?.regarding.uid).toBe(metadata.uid);
      await claimStays(cluster, "data");

      await removePod(cluster, "web");
      await claimGoes(cluster, "data");
      await cluster.eventually("the Event is taken back", async () => {
        return (await noticesOn(cluster, "PersistentVolumeClaim", "data")).length === 0;
      });
    },
  },
  {
    title: "an Event about a held claim is recorded once, also if the claim changes many times",
    within: true,
    async run(cluster) {
      const { admin, namespace } = cluster;
      await usedClaim(cluster);
      await deleteClaim(cluster, "data");
      await claimIsHeld(cluster, "data");
      await settled(cluster);
      const said = (await claimOf(cluster, "data"))?.metadata.annotations;
      for (const step of ["1", "2"]) {
        await admin.patch(PersistentVolumeClaim, namespace, "data", "merge", { metadata: { labels: { step } } });
        await settled(cluster);
      }
      expect((await claimOf(cluster, "data"))?.metadata.annotations).toEqual(said);
      expect(await noticesOn(cluster, "PersistentVolumeClaim", "data")).toHaveLength(1);
      const writes = callsOf(cluster, "pvc-protection").filter(({ request }) => request.method === "POST");
      expect(writes).toHaveLength(1);
    },
  },
  {
    title: "a pod with another claim and an emptyDir does not hold the claim",
    async run(cluster) {
      for (const name of ["data", "other"]) await protectedClaim(cluster, name);
      const volumes = [
        { name: "other", persistentVolumeClaim: { claimName: "other" } },
        { name: "scratch", emptyDir: {} },
      ];
      await createPod(cluster, "web", [], bareNode, { volumes });
      await deleteClaim(cluster, "data");
      await claimGoes(cluster, "data");
    },
  },
  {
    title: "three deleted claims are removed while a pod runs that uses none of them",
    async run(cluster) {
      for (const name of ["a", "b", "c", "other"]) await protectedClaim(cluster, name);
      await runningPod(cluster, "web", ["other"]);
      for (const name of ["a", "b", "c"]) await deleteClaim(cluster, name);
      for (const name of ["a", "b", "c"]) await claimGoes(cluster, name);
    },
  },
  {
    title: "of several deleted claims, only those that no pod uses are removed",
    async run(cluster) {
      for (const name of ["used-1", "free-1", "used-2", "free-2"]) await protectedClaim(cluster, name);
      // Two pods: the list of pods does not end with the first claim that has a user.
      await runningPod(cluster, "web-1", ["used-1"]);
      await runningPod(cluster, "web-2", ["used-2"]);
      for (const name of ["used-1", "free-1", "used-2", "free-2"]) await deleteClaim(cluster, name);
      for (const name of ["used-1", "used-2"]) await stripInTree(cluster, name);
      for (const name of ["free-1", "free-2"]) await claimGoes(cluster, name);
      for (const name of ["used-1", "used-2"]) await claimIsHeld(cluster, name);
      await claimStays(cluster, "used-1");
      await claimStays(cluster, "used-2");
      for (const name of ["web-1", "web-2"]) await removePod(cluster, name);
      for (const name of ["used-1", "used-2"]) await claimGoes(cluster, name);
    },
  },
  {
    title: "a claim that two pods use is removed when the second one is gone",
    async run(cluster) {
      await protectedClaim(cluster, "data");
      for (const name of ["one", "two"]) await runningPod(cluster, name, ["data"]);
      await deleteHeldByUs(cluster, "data");
      // The list of pods ends with the first user: one is enough to keep a claim.
      expect((await claimIsHeld(cluster, "data")).pods).toEqual([{ pod: "one", node: bareNode }]);
      await removePod(cluster, "one");
      await cluster.eventually("the other pod is named", async () => {
        const { pods } = await claimIsHeld(cluster, "data");
        return pods[0]?.pod === "two";
      });
      expect(await noticesOn(cluster, "PersistentVolumeClaim", "data")).toHaveLength(1);
      await claimStays(cluster, "data");
      await removePod(cluster, "two");
      await claimGoes(cluster, "data");
    },
  },
  {
    title: "a pod holds its claim, also if no event of the pod was sent yet",
    within: true,
    async run(cluster) {
      await protectedClaim(cluster, "data");
      cluster.fate(({ kind }) => (kind === "Pod" ? [] : undefined));
      await runningPod(cluster, "web", ["data"]);
      await deleteHeldByUs(cluster, "data");
      await claimIsHeld(cluster, "data");
      await claimStays(cluster, "data");
    },
  },
  {
    title: "an update of a running pod causes no request to the API server",
    within: true,
    async run(cluster) {
      const { admin, namespace } = cluster;
      await usedClaim(cluster);
      await deleteClaim(cluster, "data");
      await claimIsHeld(cluster, "data");
      await settled(cluster);
      const before = callsOf(cluster, "pvc-protection").length;
      for (const step of ["1", "2", "3"])
        await admin.patch(Pod, namespace, "web", "merge", { metadata: { labels: { step } } });
      await settled(cluster);
      expect(callsOf(cluster, "pvc-protection").length).toBe(before);
    },
  },
  {
    title: "a pod that has no node yet does not hold its claim",
    async run(cluster) {
      await protectedClaim(cluster, "data");
      await createPod(cluster, "web", ["data"]);
      await deleteClaim(cluster, "data");
      await claimGoes(cluster, "data");
    },
  },
  {
    title: "a pod that gets its node before the claim is deleted holds it",
    async run(cluster) {
      await protectedClaim(cluster, "data");
      await createPod(cluster, "web", ["data"]);
      await bind(cluster, "web");
      await deleteHeldByUs(cluster, "data");
      expect((await claimIsHeld(cluster, "data")).pods).toEqual([{ pod: "web", node: bareNode }]);
      await claimStays(cluster, "data");
    },
  },
  ...["Succeeded", "Failed"].flatMap((phase): Scenario[] => [
    {
      title:
        `a pod that has ${phase.toLowerCase()} holds the claim until it is deleted, ` +
        "because its volumes may still be mounted",
      async run(cluster) {
        await usedClaim(cluster, "job");
        await setPhase(cluster, "job", phase);
        await deleteHeldByUs(cluster, "data");
        await claimIsHeld(cluster, "data");
        await claimStays(cluster, "data");
        await removePod(cluster, "job");
        await claimGoes(cluster, "data");
      },
    },
    {
      title: `a pod that has ${phase.toLowerCase()} does not hold its claim`,
      settings: [documentMode],
      async run(cluster) {
        await usedClaim(cluster, "job");
        await setPhase(cluster, "job", phase);
        await deleteClaim(cluster, "data");
        await claimGoes(cluster, "data");
      },
    },
    {
      title: `a held claim goes when its pod has ${phase.toLowerCase()}`,
      settings: [documentMode],
      async run(cluster) {
        await usedClaim(cluster, "job");
        await deleteClaim(cluster, "data");
        await claimIsHeld(cluster, "data");
        await claimStays(cluster, "data");
        await setPhase(cluster, "job", phase);
        await claimGoes(cluster, "data");
      },
    },
  ]),
  {
    title: "a claim's own status and conditions are not touched",
    async run(cluster) {
      const { admin, namespace } = cluster;
      await protectedClaim(cluster, "data");
      const conditions = [{ type: "Resizing", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }];
      await setStatus(admin, PersistentVolumeClaim, namespace, "data", { conditions });
      await runningPod(cluster, "web", ["data"]);
      await deleteClaim(cluster, "data");
      await claimIsHeld(cluster, "data");
      const live = await claimOf(cluster, "data");
      expect(live).toMatchObject({ status: { conditions } });
      await removePod(cluster, "web");
      await claimGoes(cluster, "data");
    },
  },
  {
    title: "finalizers of others stay until their owners remove them",
    settings: everywhere,
    async run(cluster) {
      const { admin, namespace } = cluster;
      await protectedClaim(cluster, "data", { finalizers: ["a.example/first", "a.example/second"] });
      await deleteClaim(cluster, "data");
      await cluster.eventually("ours is gone", async () => {
        const live = await claimOf(cluster, "data");
        return live?.metadata.finalizers?.join() === "a.example/first,a.example/second";
      });
      await cluster.rest();
      expect((await claimOf(cluster, "data"))?.metadata.finalizers).toEqual(["a.example/first", "a.example/second"]);
      await admin.patch(PersistentVolumeClaim, namespace, "data", "merge", { metadata: { finalizers: null } });
      await claimGoes(cluster, "data");
    },
  },
];
