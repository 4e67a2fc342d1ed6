import { expect } from "vitest";
import { PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import { timePasses } from "../../worlds/time-passes.ts";
import { noticesOn } from "../recorded-events.ts";
import type { Scenario } from "../scenario.ts";
import { claimGoes, claimStays, deleteClaim, inTree, protectedClaim, strip } from "./helpers.ts";
import { misconfigured } from "./settings.ts";

/** What people read when the functions wait for something that will not happen. */
export const misconfiguration: readonly Scenario[] = [
  {
    title: "a claim that waits for Kubernetes' own controller in vain says so after a minute",
    settings: [misconfigured],
    takes: 60_000,
    async run(world) {
      const { admin, namespace } = world;
      await protectedClaim(world, "data", { finalizers: [inTree] });
      await deleteClaim(world, "data");
      await claimStays(world, "data");
      expect(await noticesOn(world, "PersistentVolumeClaim", "data")).toEqual([]);

      await timePasses(world, "a minute", world.clock.sleep(61_000));
      await admin.patch(PersistentVolumeClaim, namespace, "data", "merge", { metadata: { labels: { step: "1" } } });
      const [notice] = await world.eventually("the claim says what is wrong", async () => {
        const notices = await noticesOn(world, "PersistentVolumeClaim", "data");
        return notices.length > 0 && notices;
      });
      expect(notice).toMatchObject({ type: "Warning", reason: "InTreeProtectionSilent" });
      expect(notice?.note).toContain("IN_TREE=absent");
      await claimStays(world, "data");
      await strip(world, "data", inTree);
      await claimGoes(world, "data");
    },
  },
];
