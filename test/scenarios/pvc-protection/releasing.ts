import { expect } from "vitest";
import { PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import { Namespace } from "../../worlds/kinds.ts";
import { manifest } from "../../worlds/manifest.ts";
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
  protectedClaim,
  removePod,
  runningPod,
  setPhase,
  stripInTree,
} from "./helpers.ts";
import { documentMode, strict } from "./settings.ts";

/** When a claim being deleted goes, and when it stays: the rows of the in-tree controller's own table. */
export const releasing: readonly Scenario[] = [
  {
    title: "a deleted claim that nothing uses goes",
    async run(world) {
      await protectedClaim(world, "data");
      await deleteClaim(world, "data");
      await claimGoes(world, "data");
    },
  },
  {
    title: "two deleted claims of one namespace go, and a third that is alive stays as it is",
    async run(world) {
      for (const name of ["a", "b", "c"]) await protectedClaim(world, name);
      for (const name of ["a", "b"]) await deleteClaim(world, name);
      for (const name of ["a", "b"]) await claimGoes(world, name);
      expect((await claimOf(world, "c"))?.metadata.deletionTimestamp).toBeUndefined();
    },
  },
  {
    title: "deleted claims of two namespaces go",
    async run(world) {
      const { admin } = world;
      const name = `${world.namespace}-b`;
      await admin.create(Namespace, manifest(Namespace, { name }));
      try {
        const worlds = [world, { ...world, namespace: name }];
        for (const each of worlds) await protectedClaim(each, "data");
        for (const each of worlds) await deleteClaim(each, "data");
        for (const each of worlds) await claimGoes(each, "data");
      } finally {
        await admin.delete(Namespace, undefined, name);
      }
    },
  },
  {
    title: "a claim used by a running pod is kept, says by whom, and goes with the pod",
    async run(world) {
      const { metadata } = await protectedClaim(world, "data");
      await runningPod(world, "web", ["data"]);
      await deleteClaim(world, "data");
      await stripInTree(world, "data");

      expect((await claimIsHeld(world, "data")).pods).toEqual([{ pod: "web", node: bareNode }]);
      const notices = await noticesOn(world, "PersistentVolumeClaim", "data");
      expect(notices).toEqual([expect.objectContaining({ reason: "DeletionPostponed", type: "Normal" })]);
      expect(notices[0]?.note).toContain(`pod web on node ${bareNode}`);
      expect(notices[0]?.regarding.uid).toBe(metadata.uid);
      await claimStays(world, "data");

      await removePod(world, "web");
      await claimGoes(world, "data");
      await world.eventually("the Event is taken back", async () => {
        return (await noticesOn(world, "PersistentVolumeClaim", "data")).length === 0;
      });
    },
  },
  {
    title: "an Event about a held claim is recorded once, however often it changes",
    within: true,
    async run(world) {
      const { admin, namespace } = world;
      await protectedClaim(world, "data");
      await runningPod(world, "web", ["data"]);
      await deleteClaim(world, "data");
      await claimIsHeld(world, "data");
      await settled(world);
      const said = (await claimOf(world, "data"))?.metadata.annotations;
      for (const step of ["1", "2"]) {
        await admin.patch(PersistentVolumeClaim, namespace, "data", "merge", { metadata: { labels: { step } } });
        await settled(world);
      }
      expect((await claimOf(world, "data"))?.metadata.annotations).toEqual(said);
      expect(await noticesOn(world, "PersistentVolumeClaim", "data")).toHaveLength(1);
      const writes = callsOf(world, "pvc-protection").filter(({ request }) => request.method === "POST");
      expect(writes).toHaveLength(1);
    },
  },
  {
    title: "a pod with another claim and an emptyDir holds nothing",
    async run(world) {
      for (const name of ["data", "other"]) await protectedClaim(world, name);
      const volumes = [
        { name: "other", persistentVolumeClaim: { claimName: "other" } },
        { name: "scratch", emptyDir: {} },
      ];
      await createPod(world, "web", [], bareNode, { volumes });
      await deleteClaim(world, "data");
      await claimGoes(world, "data");
    },
  },
  {
    title: "three deleted claims go beside a pod that uses none of them",
    async run(world) {
      for (const name of ["a", "b", "c", "other"]) await protectedClaim(world, name);
      await runningPod(world, "web", ["other"]);
      for (const name of ["a", "b", "c"]) await deleteClaim(world, name);
      for (const name of ["a", "b", "c"]) await claimGoes(world, name);
    },
  },
  {
    title: "of several deleted claims only the unused ones go",
    async run(world) {
      for (const name of ["used-1", "free-1", "used-2", "free-2"]) await protectedClaim(world, name);
      await runningPod(world, "web", ["used-1", "used-2"]);
      for (const name of ["used-1", "free-1", "used-2", "free-2"]) await deleteClaim(world, name);
      for (const name of ["used-1", "used-2"]) await stripInTree(world, name);
      for (const name of ["free-1", "free-2"]) await claimGoes(world, name);
      for (const name of ["used-1", "used-2"]) await claimIsHeld(world, name);
      await claimStays(world, "used-1");
      await claimStays(world, "used-2");
      await removePod(world, "web");
      for (const name of ["used-1", "used-2"]) await claimGoes(world, name);
    },
  },
  {
    title: "a claim of two pods goes with the second of them",
    async run(world) {
      await protectedClaim(world, "data");
      for (const name of ["one", "two"]) await runningPod(world, name, ["data"]);
      await deleteClaim(world, "data");
      await stripInTree(world, "data");
      // The list of pods ends with the first user: one is enough to keep a claim.
      expect((await claimIsHeld(world, "data")).pods).toEqual([{ pod: "one", node: bareNode }]);
      await removePod(world, "one");
      await world.eventually("the other pod is named", async () => {
        const { pods } = await claimIsHeld(world, "data");
        return pods[0]?.pod === "two";
      });
      expect(await noticesOn(world, "PersistentVolumeClaim", "data")).toHaveLength(1);
      await claimStays(world, "data");
      await removePod(world, "two");
      await claimGoes(world, "data");
    },
  },
  {
    title: "a pod of which no event was sent yet holds the claim all the same",
    within: true,
    async run(world) {
      await protectedClaim(world, "data");
      world.fate(({ kind }) => (kind === "Pod" ? [] : undefined));
      await runningPod(world, "web", ["data"]);
      await deleteClaim(world, "data");
      await stripInTree(world, "data");
      await claimIsHeld(world, "data");
      await claimStays(world, "data");
    },
  },
  {
    title: "an update of a running pod asks the API server nothing",
    within: true,
    async run(world) {
      const { admin, namespace } = world;
      await protectedClaim(world, "data");
      await runningPod(world, "web", ["data"]);
      await deleteClaim(world, "data");
      await claimIsHeld(world, "data");
      await settled(world);
      const before = callsOf(world, "pvc-protection").length;
      for (const step of ["1", "2", "3"])
        await admin.patch(Pod, namespace, "web", "merge", { metadata: { labels: { step } } });
      await settled(world);
      expect(callsOf(world, "pvc-protection").length).toBe(before);
    },
  },
  {
    title: "a pod that has no node yet holds nothing",
    async run(world) {
      await protectedClaim(world, "data");
      await createPod(world, "web", ["data"]);
      await deleteClaim(world, "data");
      await claimGoes(world, "data");
    },
  },
  {
    title: "a pod that gets its node before the claim is deleted holds it",
    async run(world) {
      await protectedClaim(world, "data");
      await createPod(world, "web", ["data"]);
      await bind(world, "web");
      await deleteClaim(world, "data");
      await stripInTree(world, "data");
      expect((await claimIsHeld(world, "data")).pods).toEqual([{ pod: "web", node: bareNode }]);
      await claimStays(world, "data");
    },
  },
  ...["Succeeded", "Failed"].flatMap((phase): Scenario[] => [
    {
      title:
        `a pod that has ${phase.toLowerCase()} holds the claim until it is deleted, ` +
        "because its volumes may still be mounted",
      settings: strict,
      async run(world) {
        await protectedClaim(world, "data");
        await runningPod(world, "job", ["data"]);
        await setPhase(world, "job", phase);
        await deleteClaim(world, "data");
        await stripInTree(world, "data");
        await claimIsHeld(world, "data");
        await claimStays(world, "data");
        await removePod(world, "job");
        await claimGoes(world, "data");
      },
    },
    {
      title: `a pod that has ${phase.toLowerCase()} holds nothing`,
      settings: [documentMode],
      async run(world) {
        await protectedClaim(world, "data");
        await runningPod(world, "job", ["data"]);
        await setPhase(world, "job", phase);
        await deleteClaim(world, "data");
        await claimGoes(world, "data");
      },
    },
    {
      title: `a held claim goes when its pod has ${phase.toLowerCase()}`,
      settings: [documentMode],
      async run(world) {
        await protectedClaim(world, "data");
        await runningPod(world, "job", ["data"]);
        await deleteClaim(world, "data");
        await claimIsHeld(world, "data");
        await claimStays(world, "data");
        await setPhase(world, "job", phase);
        await claimGoes(world, "data");
      },
    },
  ]),
  {
    title: "a claim's own status and conditions are not touched",
    async run(world) {
      const { admin, namespace } = world;
      await protectedClaim(world, "data");
      const conditions = [{ type: "Resizing", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }];
      await admin.patch(
        PersistentVolumeClaim,
        namespace,
        "data",
        "merge",
        { status: { conditions } },
        { subresource: "status" },
      );
      await runningPod(world, "web", ["data"]);
      await deleteClaim(world, "data");
      await claimIsHeld(world, "data");
      const live = await claimOf(world, "data");
      expect(live).toMatchObject({ status: { conditions } });
      await removePod(world, "web");
      await claimGoes(world, "data");
    },
  },
  {
    title: "the finalizers of others stay until they take them away themselves",
    async run(world) {
      const { admin, namespace } = world;
      await protectedClaim(world, "data", { finalizers: ["a.example/first", "a.example/second"] });
      await deleteClaim(world, "data");
      await world.eventually("ours is gone", async () => {
        const live = await claimOf(world, "data");
        return live?.metadata.finalizers?.join() === "a.example/first,a.example/second";
      });
      await world.rest();
      expect((await claimOf(world, "data"))?.metadata.finalizers).toEqual(["a.example/first", "a.example/second"]);
      await admin.patch(PersistentVolumeClaim, namespace, "data", "merge", { metadata: { finalizers: null } });
      await claimGoes(world, "data");
    },
  },
];
