import type { Scenario } from "../../scenario.ts";
import { claimIsGone, podIs, podIsGone } from "../../user.ts";
import { progress } from "../protection.ts";
import { withoutInTree } from "../settings.ts";
import { protectedClaims } from "./protected-claims.ts";

export const restoredAlone: Scenario = {
  name: "restored-alone",
  doc:
    "A claim is backed up while it is held, goes, and is restored with the annotation that it had; " +
    "another pod uses it then.",
  setting: withoutInTree,
  async act(user) {
    await user.createClaim("data");
    await user.createPod("before", ["data"]);
    await user.until(podIs("before", "Running"));
    await user.until(protectedClaims);
    await user.deleteClaim("data");
    const saved = async () => (await user.claims()).at(0)?.metadata.annotations?.[progress];
    await user.until(async () => (await saved()) !== undefined);
    // Those about its volume are left out, as a tool does that lets the volume be provisioned again.
    const annotations = { [progress]: (await saved()) ?? "" };
    await user.deletePod("before");
    await user.until(podIsGone("before"));
    await user.until(claimIsGone("data"));
    await user.createClaim("data", { annotations });
    await user.createPod("after", ["data"]);
    await user.until(podIs("after", "Running"));
    await user.until(protectedClaims);
    await user.pause(3_000);
    await user.deleteClaim("data");
    await user.pause(5_000);
    await user.deletePod("after");
    await user.pause(2_000);
  },
};
