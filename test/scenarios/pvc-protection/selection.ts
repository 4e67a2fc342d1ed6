import { expect } from "vitest";
import { PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import { claim } from "../../worlds/manifest.ts";
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
    async run(world) {
      const { admin, namespace } = world;
      await admin.create(PersistentVolumeClaim, claim({ namespace, name: "other" }));
      await protectedClaim(world, "data", { labels: { protected: "yes" } });
      await admin.patch(PersistentVolumeClaim, namespace, "other", "merge", { metadata: { labels: { step: "1" } } });
      await world.rest();
      expect((await claimOf(world, "other"))?.metadata.finalizers).toBeUndefined();
      await admin.patch(PersistentVolumeClaim, namespace, "other", "merge", {
        metadata: { labels: { protected: "yes" } },
      });
      await world.eventually("it is protected when it is selected", async () => {
        return (await claimOf(world, "other"))?.metadata.finalizers?.includes(ours(world));
      });
    },
  },
  {
    // The admission plugin puts it on all claims, whether its controller runs or not.
    title: "a claim that carries Kubernetes' finalizer alone goes when no pod uses it, and not before",
    settings: [selecting],
    async run(world) {
      const { admin, namespace } = world;
      await admin.create(PersistentVolumeClaim, claim({ namespace, name: "data", finalizers: [inTree] }));
      await runningPod(world, "web", ["data"]);
      await deleteClaim(world, "data");
      expect((await claimIsHeld(world, "data")).pods).toEqual([{ pod: "web", node: bareNode }]);
      await world.rest();
      expect((await claimOf(world, "data"))?.metadata.finalizers).toEqual([inTree]);
      await removePod(world, "web");
      await claimGoes(world, "data");
    },
  },
];
