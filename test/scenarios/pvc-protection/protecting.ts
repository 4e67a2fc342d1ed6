import { expect } from "vitest";
import { PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import { Namespace } from "../../harness/kinds.ts";
import { claim } from "../../harness/manifest.ts";
import { callsOf } from "../calls-of.ts";
import type { Scenario } from "../scenario.ts";
import { settled } from "../settled.ts";
import { claimOf, isProtected, ours, protect, protectedClaim, protection, strip } from "./helpers.ts";
import { everywhere, twoPhased } from "./settings.ts";

/** How claims get the finalizer. */
export const protecting: readonly Scenario[] = [
  {
    title: "a new claim is protected, and so is one in another namespace",
    settings: everywhere,
    async run(cluster) {
      const elsewhere = { ...cluster, namespace: `${cluster.namespace}-b` };
      await cluster.admin.create(Namespace, {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: elsewhere.namespace } as never,
      });
      try {
        await protectedClaim(cluster, "data");
        await protectedClaim(elsewhere, "data");
      } finally {
        await cluster.admin.delete(Namespace, undefined, elsewhere.namespace);
      }
    },
  },
  {
    title: "a claim that is created with the finalizer has it once, beside other finalizers",
    settings: everywhere,
    async run(cluster) {
      const finalizers = ["a.example/other", ours(cluster)];
      const { metadata } = await protectedClaim(cluster, "data", { finalizers });
      expect(metadata.finalizers?.toSorted()).toEqual(["a.example/other", ...protection(cluster)].sort());
    },
  },
  {
    title: "a claim is protected in the request that creates it",
    settings: twoPhased,
    async run(cluster) {
      const { admin, namespace } = cluster;
      const { metadata } = await admin.create(PersistentVolumeClaim, claim({ namespace, name: "data" }));
      expect(metadata.finalizers).toContain(ours(cluster));
    },
  },
  {
    title: "a claim that lost its finalizer gets it back at its next change",
    settings: everywhere,
    async run(cluster) {
      const { admin, namespace } = cluster;
      await protectedClaim(cluster, "data");
      await admin.patch(PersistentVolumeClaim, namespace, "data", "merge", { metadata: { finalizers: null } });
      await isProtected(cluster, "data");
    },
  },
  {
    title: "a claim that existed before the functions is protected by the sweep",
    settings: everywhere,
    within: true,
    alone: true,
    async run(cluster) {
      const { admin, namespace } = cluster;
      await protectedClaim(cluster, "data");
      // The events of its creation have been handled.
      await settled(cluster);
      cluster.fate(() => []);
      await admin.patch(PersistentVolumeClaim, namespace, "data", "merge", { metadata: { finalizers: null } });
      await cluster.rest();
      expect((await claimOf(cluster, "data"))?.metadata.finalizers ?? []).not.toContain(ours(cluster));
      await cluster.sweep();
      await isProtected(cluster, "data");
    },
  },
  {
    title: "a protected claim is not written when other fields of it change",
    settings: everywhere,
    within: true,
    async run(cluster) {
      const { admin, namespace } = cluster;
      await protectedClaim(cluster, "data");
      await settled(cluster);
      const before = callsOf(cluster, "pvc-protection").length;
      for (const step of ["1", "2", "3"])
        await admin.patch(PersistentVolumeClaim, namespace, "data", "merge", { metadata: { labels: { step } } });
      await settled(cluster);
      expect(callsOf(cluster, "pvc-protection").length).toBe(before);
    },
  },
  {
    title: "a claim being deleted gets no finalizer any more",
    within: true,
    async run(cluster) {
      const { admin, namespace } = cluster;
      await admin.create(PersistentVolumeClaim, claim({ namespace, name: "data", finalizers: ["a.example/hold"] }));
      await isProtected(cluster, "data");
      await admin.delete(PersistentVolumeClaim, namespace, "data");
      for (const finalizer of protection(cluster)) await strip(cluster, "data", finalizer);
      await cluster.rest();
      await admin.patch(PersistentVolumeClaim, namespace, "data", "merge", { metadata: { labels: { step: "1" } } });
      await cluster.rest();
      // The sweep shows no object: this one is looked at.
      const answer = await cluster.instance(protect)({ change: "sweep", kind: PersistentVolumeClaim, name: "data" });
      expect(answer.status).toBe(204);
      expect((await claimOf(cluster, "data"))?.metadata.finalizers).toEqual(["a.example/hold"]);
      expect(cluster.said.filter(({ level }) => level === "error")).toEqual([]);
    },
  },
];
