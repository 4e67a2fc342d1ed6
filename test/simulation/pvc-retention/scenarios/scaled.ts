import { pick } from "../../faults/api.ts";
import type { Scenario } from "../../scenario.ts";
import { admitted } from "../settings.ts";
import { awhile, createSet, runs, scale, withSets } from "./sets.ts";

const deletingThen = ["DeleteOnScaledownOnly", "DeleteOnScaledownAndStatefulSetDeletion"] as const;

export const scaledDownAndUp: Scenario = {
  ...withSets,
  name: "scaled-down-and-up",
  doc: "A set that loses the claims of replicas that are scaled away is scaled down and up again at once, and a pod deleted by hand before.",
  setting: admitted,
  async act(stage) {
    await createSet(stage, "web", { replicas: 3, policy: pick(stage.random, deletingThen) });
    await stage.until(runs("web", 3));
    await awhile(stage);
    await stage.deletePod("web-2", { force: stage.random.below(2) === 0 });
    await stage.pause(500);
    await scale(stage, "web", 1);
    await stage.pause(pick(stage.random, [300, 3_000]));
    await scale(stage, "web", 3);
    await stage.until(runs("web", 3));
    await scale(stage, "web", 0);
    await awhile(stage);
    await scale(stage, "web", 2);
    await stage.until(runs("web", 2));
  },
};
