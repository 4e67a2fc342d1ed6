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
  isProtected,
  podOf,
  protectedClaim,
  protection,
  release,
  removePod,
  runningPod,
  strip,
  stripInTree,
} from "./helpers.ts";

/** Names that come back: what is decided about one incarnation must not reach another. */
export const replacement: readonly Scenario[] = [
  {
    title: "a pod replaced by one of its name without the claim lets it go",
    async run(world) {
      for (const name of ["data", "other"]) await protectedClaim(world, name);
      await runningPod(world, "web", ["data"]);
      await deleteClaim(world, "data");
      await stripInTree(world, "data");
      await claimIsHeld(world, "data");
      await removePod(world, "web");
      await runningPod(world, "web", ["other"]);
      await claimGoes(world, "data");
      expect((await claimOf(world, "other"))?.metadata.deletionTimestamp).toBeUndefined();
    },
  },
  {
    title: "a pod replaced by one of its name leaves a claim that is alive alone",
    async run(world) {
      await protectedClaim(world, "data");
      await runningPod(world, "web", ["data"]);
      await removePod(world, "web");
      await runningPod(world, "web", []);
      await world.rest();
      const { metadata } = await isProtected(world, "data");
      expect(metadata.deletionTimestamp).toBeUndefined();
    },
  },
  {
    title: "a pod replaced by one of its name that uses the claim, too, still holds it",
    within: true,
    async run(world) {
      await protectedClaim(world, "data");
      const first = await runningPod(world, "web", ["data"]);
      await deleteClaim(world, "data");
      await stripInTree(world, "data");
      await claimIsHeld(world, "data");

      // The second one is there when the event of the first one's deletion arrives. Whoever looked in between, for
      // whatever reason, would find nobody who uses the claim, and be right.
      const gone = await podOf(world, "web");
      world.fate(() => []);
      // What was on its way before is looked at with the first one.
      await settled(world);
      await removePod(world, "web");
      await runningPod(world, "web", ["data"]);
      const { status } = await world.instance(release)({
        change: "delete",
        kind: Pod,
        name: "web",
        object: gone ?? first,
      });
      expect(status).toBe(204);
      await claimStays(world, "data");
    },
  },
  {
    title: "a claim created again under its name keeps its finalizer, even when it comes between look and write",
    within: true,
    async run(world) {
      const { metadata: old } = await protectedClaim(world, "data");
      let replaced = false;
      world.intercept(async ({ rule, request }, send) => {
        if (rule === release && request.method === "PATCH" && !replaced && request.body?.includes(old.uid)) {
          replaced = true;
          for (const finalizer of protection(world)) await strip(world, "data", finalizer);
          await protectedClaim(world, "data");
        }
        return send();
      });
      await deleteClaim(world, "data");
      await world.eventually("the claim is replaced", () => replaced);
      await claimGoes(world, "data", old.uid);
      await world.rest();
      const live = await claimOf(world, "data");
      expect(live?.metadata.uid).not.toBe(old.uid);
      expect(live?.metadata.deletionTimestamp).toBeUndefined();
      expect(live?.metadata.finalizers?.toSorted()).toEqual(protection(world).toSorted());
    },
  },
  {
    title: "what is written on a claim that was copied from another is not taken for its own",
    async run(world) {
      await protectedClaim(world, "data");
      await runningPod(world, "web", ["data"]);
      await deleteClaim(world, "data");
      const { since } = await claimIsHeld(world, "data");
      const { annotations = {} } = (await claimOf(world, "data"))?.metadata ?? {};
      await world.rest();

      const { metadata } = await protectedClaim(world, "copy", { annotations });
      await runningPod(world, "other", ["copy"]);
      await deleteClaim(world, "copy");
      const held = await world.eventually("the copy says who holds it", async () => {
        const said = await claimIsHeld(world, "copy");
        return said.uid === metadata.uid && said;
      });
      expect(held.pods).toEqual([{ pod: "other", node: bareNode }]);
      expect(Date.parse(held.since)).toBeGreaterThan(Date.parse(since));
    },
  },
];
