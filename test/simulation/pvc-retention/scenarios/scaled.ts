import { pick } from "../../../harness/faults/api.ts";
import type { Scenario } from "../../scenario.ts";
import { admitted } from "../settings.ts";
import { awhile, runSet, runs, scale, withSets } from "./sets.ts";

const deletingThen = ["DeleteOnScaledownOnly", "DeleteOnScaledownAndStatefulSetDeletion"] as const;

export const scaledDownAndUp: Scenario = {
  ...withSets,
  name: "scaled-down-and-up",
  doc:
    "A set that loses the claims of replicas that are scaled away is scaled down and up again at once, " +
    "and a pod deleted by hand before.",
  setting: admitted,
  async act(user) {
    await runSet(user, "web", { replicas: 3, policy: pick(user.random, deletingThen) });
    await awhile(user);
    await user.deletePod("web-2", { force: user.random.below(2) === 0 });
    await user.pause(500);
    await scale(user, "web", 1);
    await user.pause(pick(user.random, [300, 3_000]));
    await scale(user, "web", 3);
    await user.until(runs("web", 3));
    await scale(user, "web", 0);
    await awhile(user);
    await scale(user, "web", 2);
    await user.until(runs("web", 2));
  },
};
