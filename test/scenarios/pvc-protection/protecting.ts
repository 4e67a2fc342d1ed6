import { expect } from "vitest";
import { PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import { Namespace } from "../../worlds/kinds.ts";
import { claim } from "../../worlds/manifest.ts";
import { callsOf } from "../calls-of.ts";
import type { Scenario } from "../scenario.ts";
import { settled } from "../settled.ts";
import { claimOf, isProtected, ours, protect, protectedClaim, protection, strip } from "./helpers.ts";
import { twoPhased } from "./settings.ts";

/** How claims come by the finalizer. */
export const protecting: readonly Scenario[] = [
  {
    title: "a new claim is protected, and so is one in another namespace",
    async run(world) {
      const elsewhere = { ...world, namespace: `${world.namespace}-b` };
      await world.admin.create(Namespace, {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: elsewhere.namespace } as never,
      });
      try {
        await protectedClaim(world, "data");
        await protectedClaim(elsewhere, "data");
      } finally {
        await world.admin.delete(Namespace, undefined, elsewhere.namespace);
      }
    },
  },
  {
    title: "a claim that is created with the finalizer has it once, beside those of others",
    async run(world) {
      const finalizers = ["a.example/other", ours(world)];
      const { metadata } = await protectedClaim(world, "data", { finalizers });
      expect(metadata.finalizers?.toSorted()).toEqual(["a.example/other", ...protection(world)].sort());
    },
  },
  {
    title: "a claim is protected in the request that creates it",
    settings: twoPhased,
    async run(world) {
      const { admin, namespace } = world;
      const { metadata } = await admin.create(PersistentVolumeClaim, claim({ namespace, name: "data" }));
      expect(metadata.finalizers).toContain(ours(world));
    },
  },
  {
    title: "a claim that lost its finalizer gets it back at its next change",
    async run(world) {
      const { admin, namespace } = world;
      await protectedClaim(world, "data");
      await admin.patch(PersistentVolumeClaim, namespace, "data", "merge", { metadata: { finalizers: null } });
      await isProtected(world, "data");
    },
  },
  {
    title: "a claim from before the functions is found by the sweep",
    within: true,
    alone: true,
    async run(world) {
      const { admin, namespace } = world;
      await protectedClaim(world, "data");
      // The events of its creation have been handled.
      await settled(world);
      world.fate(() => []);
      await admin.patch(PersistentVolumeClaim, namespace, "data", "merge", { metadata: { finalizers: null } });
      await world.rest();
      expect((await claimOf(world, "data"))?.metadata.finalizers ?? []).not.toContain(ours(world));
      await world.sweep();
      await isProtected(world, "data");
    },
  },
  {
    title: "a protected claim is left alone, whatever else changes on it",
    within: true,
    async run(world) {
      const { admin, namespace } = world;
      await protectedClaim(world, "data");
      await settled(world);
      const before = callsOf(world, "pvc-protection").length;
      for (const step of ["1", "2", "3"])
        await admin.patch(PersistentVolumeClaim, namespace, "data", "merge", { metadata: { labels: { step } } });
      await settled(world);
      expect(callsOf(world, "pvc-protection").length).toBe(before);
    },
  },
  {
    title: "a claim being deleted gets no finalizer any more",
    within: true,
    async run(world) {
      const { admin, namespace } = world;
      await admin.create(PersistentVolumeClaim, claim({ namespace, name: "data", finalizers: ["a.example/hold"] }));
      await isProtected(world, "data");
      await admin.delete(PersistentVolumeClaim, namespace, "data");
      for (const finalizer of protection(world)) await strip(world, "data", finalizer);
      await world.rest();
      await admin.patch(PersistentVolumeClaim, namespace, "data", "merge", { metadata: { labels: { step: "1" } } });
      await world.rest();
      // The sweep shows no object: this one is looked at.
      const answer = await world.instance(protect)({ change: "sweep", kind: PersistentVolumeClaim, name: "data" });
      expect(answer.status).toBe(204);
      expect((await claimOf(world, "data"))?.metadata.finalizers).toEqual(["a.example/hold"]);
      expect(world.said.filter(({ level }) => level === "error")).toEqual([]);
    },
  },
];
