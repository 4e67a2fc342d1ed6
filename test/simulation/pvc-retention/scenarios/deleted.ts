import { pick } from "../../faults/api.ts";
import type { Scenario } from "../../scenario.ts";
import { admitted, byDefault } from "../settings.ts";
import {
  awhile,
  createSet,
  deleteSet,
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

export const setDeleted: Scenario = {
  ...withSets,
  name: "set-deleted",
  doc: "A set is scaled down and deleted, in the background, the foreground, or without its pods, perhaps twice, under any policy.",
  setting: byDefault,
  async act(stage) {
    await createSet(stage, "web", { replicas: 3, policy: pick(stage.random, oftenDeleting) });
    await stage.until(runs("web", 3));
    await awhile(stage);
    await scale(stage, "web", 2);
    await awhile(stage);
    await deleteSet(stage, "web", pick(stage.random, [...propagations, "Background"] as const));
    if (stage.random.below(4) === 0) {
      await stage.pause(500);
      await deleteSet(stage, "web", "Orphan");
    }
    await stage.until(setIsGone("web"));
  },
};

export const keptAtTheLastMoment: Scenario = {
  ...withSets,
  name: "kept-at-the-last-moment",
  doc: "A policy turns to Retain, and the set is deleted right behind: its field keeps in the very write.",
  setting: admitted,
  async act(stage) {
    await createSet(stage, "web", { replicas: 3, policy: "DeleteOnStatefulSetDeletionOnly" });
    await stage.until(runs("web", 3));
    await awhile(stage);
    await setPolicy(stage, "web", "Retain");
    await stage.pause(600);
    await deleteSet(stage, "web", "Background");
    await stage.until(setIsGone("web"));
  },
};

export const recreated: Scenario = {
  ...withSets,
  name: "set-recreated",
  doc: "A set is deleted and created anew under its name at once, smaller and with another policy; the claims that are left are not its own.",
  setting: byDefault,
  async act(stage) {
    await createSet(stage, "web", { replicas: 3, policy: pick(stage.random, ["Retain", "DeleteOnScaledownOnly"]) });
    await stage.until(runs("web", 3));
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
