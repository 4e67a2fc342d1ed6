import type { Scenario } from "../../scenario.ts";
import { podIs } from "../../user.ts";
import { withoutInTree } from "../settings.ts";
import { protectedClaims } from "./protected-claims.ts";

export const restlessClaim: Scenario = {
  name: "restless-claim",
  doc: "A user changes a claim many times a second while it is deleted, held and released.",
  setting: withoutInTree,
  async act(user) {
    await user.createClaim("data");
    await user.createPod("web", ["data"]);
    await user.until(podIs("web", "Running"));
    await user.until(protectedClaims);
    await user.deleteClaim("data");
    const touch = async () => {
      for (let count = 0; count < 40; count++) {
        await user.pause(80);
        await user.patchClaim("data", { metadata: { labels: { count: String(count) } } });
      }
    };
    await Promise.all([touch(), user.pause(1_500).then(() => user.deletePod("web"))]);
  },
};
