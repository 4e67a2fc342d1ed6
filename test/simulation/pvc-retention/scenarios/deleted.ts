import type { Setting } from "../../../worlds/world.ts";
import { pick } from "../../faults/api.ts";
import type { Scenario } from "../../scenario.ts";
import { off, scaled, whole, withoutField } from "../settings.ts";
import {
  awhile,
  createSet,
  deleteSet,
  deleteSomehow,
  policies,
  propagations,
  runs,
  scale,
  setIsGone,
  withSets,
} from "./sets.ts";

/** A replica is scaled away first, so that there is a claim without a pod; the deletion may be asked for twice, and otherwise. */
const act: Scenario["act"] = async (stage) => {
  await createSet(stage, "web", { replicas: 3, policy: pick(stage.random, policies) });
  await stage.until(runs("web", 3));
  await awhile(stage);
  await scale(stage, "web", 2);
  await awhile(stage);
  await deleteSomehow(stage, "web");
  if (stage.random.below(3) === 0) {
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

export const recreated: Scenario = {
  ...withSets,
  name: "set-recreated",
  doc: "A set is deleted and created anew under its name at once, with another policy, and takes the claims that are left.",
  setting: whole,
  async act(stage) {
    await createSet(stage, "web", { policy: pick(stage.random, policies) });
    await stage.until(runs("web", 2));
    await awhile(stage);
    await deleteSet(stage, "web", pick(stage.random, propagations));
    for (let attempt = 0; attempt < 4; attempt++) {
      await stage.pause(1_500);
      await createSet(stage, "web", { policy: pick(stage.random, policies), replicas: 1 });
    }
    await stage.until(runs("web", 1));
    await awhile(stage);
    await deleteSomehow(stage, "web");
    await stage.until(setIsGone("web"));
  },
};
