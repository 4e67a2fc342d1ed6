import { expect } from "vitest";
import { Pod } from "../../../shared/kubernetes/kind.ts";
import type { Scenario } from "../scenario.ts";
import { settled } from "../settled.ts";
import {
  bareNode,
  claimGoes,
  claimIsHeld,
  claimOf,
  claimStays,
  deleteClaim,
  deleteHeldByUs,
  isProtected,
  podOf,
  protectedClaim,
  protection,
  release,
  removePod,
  runningPod,
  strip,
  usedClaim,
} from "./helpers.ts";

/** Names that are used again: a decision about one object must have no effect on a later one of its name. */
export const replacement: readonly Scenario[] = [
  {
    title: "if another pod of the same name without the claim replaces a pod, the claim is released",
    async run(cluster) {
      for (const name of ["data", "other"]) await protectedClaim(cluster, name);
      await runningPod(cluster, "web", ["data"]);
      await deleteHeldByUs(cluster, "data");
      await claimIsHeld(cluster, "data");
      await removePod(cluster, "web");
      await runningPod(cluster, "web", ["other"]);
      await claimGoes(cluster, "data");
      expect((await claimOf(cluster, "other"))?.metadata.deletionTimestamp).toBeUndefined();
    },
  },
  {
    title: "if another pod of the same name replaces a pod, a claim that is not deleted stays as it is",
    async run(cluster) {
      await usedClaim(cluster);
      await removePod(cluster, "web");
      await runningPod(cluster, "web", []);
      await cluster.rest();
      const { metadata } = await isProtected(cluster, "data");
      expect(metadata.deletionTimestamp).toBeUndefined();
    },
  },
  {
    title: "if another pod of the same name with the claim replaces a pod, the claim is held",
    within: true,
    async run(cluster) {
      await protectedClaim(cluster, "data");
      const first = await runningPod(cluster, "web", ["data"]);
      await deleteHeldByUs(cluster, "data");
      await claimIsHeld(cluster, "data");

      // The second pod exists when the event of the first one's deletion arrives. A look in between would find no pod
      // that uses the claim, and would be right.
      const gone = await podOf(cluster, "web");
      cluster.fate(() => []);
      // Events that were on their way before are handled while the first pod exists.
      await settled(cluster);
      await removePod(cluster, "web");
      await runningPod(cluster, "web", ["data"]);
      const { status } = await cluster.instance(release)({
        change: "delete",
        kind: Pod,
        name: "web",
        object: gone ?? first,
      });
      expect(status).toBe(204);
      await claimStays(cluster, "data");
    },
  },
  {
    title: "a claim that is created again under its name keeps its finalizer, also between look and write",
    within: true,
    async run(cluster) {
      const { metadata: old } = await protectedClaim(cluster, "data");
      let replaced = false;
      cluster.intercept(async ({ rule, request }, send) => {
        if (rule === release && request.method === "PATCH" && !replaced && request.body?.includes(old.uid)) {
          replaced = true;
          for (const finalizer of protection(cluster)) await strip(cluster, "data", finalizer);
          await protectedClaim(cluster, "data");
        }
        return send();
      });
      await deleteClaim(cluster, "data");
      await cluster.eventually("the claim is replaced", () => replaced);
      await claimGoes(cluster, "data", old.uid);
      await cluster.rest();
      const live = await claimOf(cluster, "data");
      expect(live?.metadata.uid).not.toBe(old.uid);
      expect(live?.metadata.deletionTimestamp).toBeUndefined();
      expect(live?.metadata.finalizers?.toSorted()).toEqual(protection(cluster).toSorted());
    },
  },
  {
    title: "a note that was copied from another claim has no effect",
    async run(cluster) {
      await usedClaim(cluster);
      await deleteClaim(cluster, "data");
      const { since } = await claimIsHeld(cluster, "data");
      const { annotations = {} } = (await claimOf(cluster, "data"))?.metadata ?? {};
      await cluster.rest();

      const { metadata } = await protectedClaim(cluster, "copy", { annotations });
      await runningPod(cluster, "other", ["copy"]);
      await deleteClaim(cluster, "copy");
      const held = await cluster.eventually("the copy says who holds it", async () => {
        const said = await claimIsHeld(cluster, "copy");
        return said.uid === metadata.uid && said;
      });
      expect(held.pods).toEqual([{ pod: "other", node: bareNode }]);
      expect(Date.parse(held.since)).toBeGreaterThan(Date.parse(since));
    },
  },
];
