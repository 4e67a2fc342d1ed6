import type { Setting } from "../../../worlds/world.ts";
import { pick } from "../../faults/api.ts";
import type { Scenario } from "../../scenario.ts";
import { off, scaled, whole, withoutField } from "../settings.ts";
import {
  awhile,
  createSet,
  deleteSet,
  long,
  patchSet,
  policies,
  propagations,
  runs,
  scale,
  setIsGone,
  setPolicy,
  withSets,
} from "./sets.ts";

/** All policies, those more often that delete claims with their set. */
const oftenDeleting = [...policies, policies[1], policies[1], policies[3], policies[3]];

/** A replica is scaled away first, so that there is a claim without a pod; the deletion may be asked for twice, and otherwise. */
const act: Scenario["act"] = async (stage) => {
  await createSet(stage, "web", { replicas: 3, policy: pick(stage.random, oftenDeleting) });
  await stage.until(runs("web", 3));
  await awhile(stage);
  await scale(stage, "web", 2);
  await (stage.random.below(2) ? long(stage) : awhile(stage));
  await deleteSet(stage, "web", pick(stage.random, [...propagations, "Background"] as const));
  if (stage.random.below(4) === 0) {
    await stage.pause(500);
    await deleteSet(stage, "web", "Orphan");
  }
  await stage.until(setIsGone("web"));
};

const deletedUnder = (name: string, doc: string, setting: Setting): Scenario => ({
  ...withSets,
  name,
  doc,
  setting,
  act,
});

export const setDeleted = deletedUnder(
  "set-deleted",
  "A set is scaled down and deleted, in the background, the foreground, or without its pods, under any policy.",
  whole,
);

export const setDeletedScaledProjected = deletedUnder(
  "set-deleted-scaled-projected",
  "The same where only what is to happen at a scale-down is projected.",
  scaled,
);

export const setDeletedByRules = deletedUnder("set-deleted-by-rules", "The same where nothing is projected.", off);

export const setDeletedWithoutField = deletedUnder(
  "set-deleted-without-field",
  "The same on a server whose sets have no retention policy.",
  withoutField,
);

const users = "user.example/keep";

export const goesWithItsSet: Scenario = {
  ...withSets,
  name: "goes-with-its-set",
  doc: "A set is deleted in the background, long after a replica was scaled away; a user's own finalizer holds it for a while.",
  setting: off,
  async act(stage) {
    await createSet(stage, "web", { replicas: 3, policy: "DeleteOnStatefulSetDeletionOnly", finalizers: [users] });
    await stage.until(runs("web", 3));
    await scale(stage, "web", 2);
    await long(stage);
    await deleteSet(stage, "web", "Background");
    await stage.pause(10_000);
    await patchSet(stage, "web", "takes the user's finalizer off", { metadata: { finalizers: null } });
    await stage.until(setIsGone("web"));
  },
};

export const leftByItsSet: Scenario = {
  ...withSets,
  name: "left-by-its-set",
  doc: "A set is deleted without its dependents, and a function may hear of it when Kubernetes is done with them.",
  setting: off,
  async act(stage) {
    await createSet(stage, "web", { replicas: 2, policy: "DeleteOnScaledownAndStatefulSetDeletion" });
    await stage.until(runs("web", 2));
    await awhile(stage);
    await deleteSet(stage, "web", "Orphan");
    await stage.until(setIsGone("web"));
  },
};

export const keptAtTheLastMoment: Scenario = {
  ...withSets,
  name: "kept-at-the-last-moment",
  doc: "A policy turns to Retain, and the set is deleted in the background right behind: all claims are kept all the same.",
  setting: scaled,
  async act(stage) {
    await createSet(stage, "web", { replicas: 3, policy: "DeleteOnStatefulSetDeletionOnly" });
    await stage.until(runs("web", 3));
    await long(stage);
    await setPolicy(stage, "web", "Retain");
    await stage.pause(600);
    await deleteSet(stage, "web", "Background");
    await stage.until(setIsGone("web"));
  },
};

export const recreated: Scenario = {
  ...withSets,
  name: "set-recreated",
  doc: "A set is deleted and created anew under its name at once, with another policy, and takes the claims that are left.",
  setting: scaled,
  async act(stage) {
    await createSet(stage, "web", { policy: pick(stage.random, oftenDeleting) });
    await stage.until(runs("web", 2));
    await awhile(stage);
    await deleteSet(stage, "web", pick(stage.random, propagations));
    for (let attempt = 0; attempt < 4; attempt++) {
      await stage.pause(1_500);
      await createSet(stage, "web", { policy: "DeleteOnStatefulSetDeletionOnly", replicas: 1 });
    }
    await stage.until(runs("web", 1));
    await awhile(stage);
    await deleteSet(stage, "web", pick(stage.random, ["Background", "Foreground"]));
    await stage.until(setIsGone("web"));
  },
};
