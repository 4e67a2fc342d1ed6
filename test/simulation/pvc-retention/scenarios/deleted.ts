import { pick } from "../../../harness/faults/api.ts";
import type { Scenario } from "../../scenario.ts";
import { admitted } from "../settings.ts";
import {
  awhile,
  createSet,
  deleteSet,
  policies,
  propagations,
  runSet,
  runs,
  scale,
  setIsGone,
  setPolicy,
  withSets,
} from "./sets.ts";

/** All policies, those more often that delete claims with their set. */
const oftenDeleting = [...policies, policies[1], policies[1], policies[3], policies[3]];

export const setDeleted: Scenario = {
  ...withSets,
  name: "set-deleted",
  doc:
    "A set is scaled down and deleted, in the background, the foreground, or without its pods, perhaps twice, " +
    "under any policy.",
  async act(user) {
    await runSet(user, "web", { replicas: 3, policy: pick(user.random, oftenDeleting) });
    await awhile(user);
    await scale(user, "web", 2);
    await awhile(user);
    await deleteSet(user, "web", pick(user.random, [...propagations, "Background"] as const));
    if (user.random.below(4) === 0) {
      await user.pause(500);
      await deleteSet(user, "web", "Orphan");
    }
    await user.until(setIsGone("web"));
  },
};

export const keptAtTheLastMoment: Scenario = {
  ...withSets,
  name: "kept-at-the-last-moment",
  doc: "A policy turns to Retain, and the set is deleted right behind: its field keeps in the very write.",
  setting: admitted,
  async act(user) {
    await runSet(user, "web", { replicas: 3, policy: "DeleteOnStatefulSetDeletionOnly" });
    await awhile(user);
    await setPolicy(user, "web", "Retain");
    await user.pause(600);
    await deleteSet(user, "web", "Background");
    await user.until(setIsGone("web"));
  },
};

export const recreated: Scenario = {
  ...withSets,
  name: "set-recreated",
  doc:
    "A set is deleted and at once created again under its name, smaller and with another policy; " +
    "the claims that are left are not its own.",
  async act(user) {
    await runSet(user, "web", { replicas: 3, policy: pick(user.random, ["Retain", "DeleteOnScaledownOnly"]) });
    await awhile(user);
    await deleteSet(user, "web", pick(user.random, propagations));
    for (let attempt = 0; attempt < 4; attempt++) {
      await user.pause(1_500);
      await createSet(user, "web", { policy: "DeleteOnStatefulSetDeletionOnly", replicas: 1 });
    }
    await user.until(runs("web", 1));
    await awhile(user);
    await deleteSet(user, "web", pick(user.random, ["Background", "Foreground"]));
    await user.until(setIsGone("web"));
  },
};
