import { expect } from "vitest";
import { PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import { advanceUntilSettled } from "../../harness/advance-until-settled.ts";
import { noticeOn, noticesOn } from "../recorded-events.ts";
import type { Scenario } from "../scenario.ts";
import { claimGoes, claimStays, deleteClaim, inTree, protectedClaim, strip } from "./helpers.ts";
import { misconfigured } from "./settings.ts";

/** What a claim says while the functions wait for something that will not happen. */
export const misconfiguration: readonly Scenario[] = [
  {
    title: "a claim that Kubernetes' own controller does not release says so after a minute",
    settings: [misconfigured],
    takes: 60_000,
    async run(cluster) {
      const { admin, namespace } = cluster;
      await protectedClaim(cluster, "data", { finalizers: [inTree] });
      await deleteClaim(cluster, "data");
      await claimStays(cluster, "data");
      expect(await noticesOn(cluster, "PersistentVolumeClaim", "data")).toEqual([]);

      await advanceUntilSettled(cluster, "a minute", cluster.clock.sleep(61_000));
      await admin.patch(PersistentVolumeClaim, namespace, "data", "merge", { metadata: { labels: { step: "1" } } });
      const notice = await noticeOn(cluster, "PersistentVolumeClaim", "data");
      expect(notice).toMatchObject({ type: "Warning", reason: "InTreeProtectionSilent" });
      expect(notice.note).toContain("IN_TREE=absent");
      await claimStays(cluster, "data");
      await strip(cluster, "data", inTree);
      await claimGoes(cluster, "data");
    },
  },
];
