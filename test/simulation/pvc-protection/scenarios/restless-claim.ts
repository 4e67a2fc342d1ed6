import type { Scenario } from "../../scenario.ts";
import { podIs } from "../../stage.ts";
import { withoutInTree } from "../settings.ts";
import { protectedClaims } from "./protected-claims.ts";

export const restlessClaim: Scenario = {
  name: "restless-claim",
  doc: "Somebody changes a claim many times a second while it is deleted, held and released.",
  setting: withoutInTree,
  async act(stage) {
    await stage.createClaim("data");
    await stage.createPod("web", ["data"]);
    await stage.until(podIs("web", "Running"));
    await stage.until(protectedClaims);
    await stage.deleteClaim("data");
    const touch = async () => {
      for (let count = 0; count < 40; count++) {
        await stage.pause(80);
        await stage.patchClaim("data", { metadata: { labels: { count: String(count) } } });
      }
    };
    await Promise.all([touch(), stage.pause(1_500).then(() => stage.deletePod("web"))]);
  },
};
