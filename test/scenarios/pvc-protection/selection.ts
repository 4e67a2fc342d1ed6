import { expect } from "vitest";
import { PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import { claim } from "../../harness/manifest.ts";
import type { Scenario } from "../scenario.ts";
import {
  bareNode,
  claimGoes,
  claimIsHeld,
  claimOf,
  deleteClaim,
  inTree,
  ours,
  protectedClaim,
  removePod,
  runningPod,
} from "./helpers.ts";
import { selecting } from "./settings.ts";

/** Some claims are protected and others are not. */
export const selection: readonly Scenario[] = [
  {
    title: "a claim that is selected is protected, and one that is not is left alone",
    settings: [selecting],
    async run(cluster) {
      const { admin, namespace } = cluster;
      await admin.create(PersistentVolumeClaim, claim({ namespace, name: "other" }));
      await protectedClaim(cluster, "data", { labels: { protected: "yes" } });
      await admin.patch(PersistentVolumeClaim, namespace, "other", "merge", { metadata: { labels: { step: "1" } } });
      await cluster.rest();
      expect((await claimOf(cluster, "other"))?.metadata.finalizers).toBeUndefined();
      await admin.patch(PersistentVolumeClaim, namespace, "other", "merge", {
        metadata: { labels: { protected: "yes" } },
      });
      await cluster.eventually("it is protected when it is selected", async () => {
        return (await claimOf(cluster, "other"))?.metadata.finalizers?.includes(ours(cluster));
      });
    },
  },
  {
    // The admission plugin puts it on all claims, whether its controller runs or not.
    title: "a claim with only Kubernetes' finalizer is removed when no pod uses it, and not before",
    settings: [selecting],
    async run(cluster) {
      const { admin, namespace } = cluster;
      await admin.create(PersistentVolumeClaim, claim({ namespace, name: "data", finalizers: [inTree] }));
      await runningPod(cluster, "web", ["data"]);
      await deleteClaim(cluster, "data");
      expect((await claimIsHeld(cluster, "data")).pods).toEqual([{ pod: "web", node: bareNode }]);
      await cluster.rest();
      expect((await claimOf(cluster, "data"))?.metadata.finalizers).toEqual([inTree]);
      await removePod(cluster, "web");
      await claimGoes(cluster, "data");
    },
  },
];
