import type { Scenario } from "../../scenario.ts";
import { claimIsGone, podIs, podIsGone } from "../../stage.ts";
import { progress } from "../protection.ts";
import { withoutInTree } from "../settings.ts";
import { protectedClaims } from "./protected-claims.ts";

export const restoredAlone: Scenario = {
  name: "restored-alone",
  doc: "A claim is backed up while it is held, goes, and is restored with the annotation that it had; another pod uses it then.",
  setting: withoutInTree,
  async act(stage) {
    await stage.createClaim("data");
    await stage.createPod("before", ["data"]);
    await stage.until(podIs("before", "Running"));
    await stage.until(protectedClaims);
    await stage.deleteClaim("data");
    const saved = async () => (await stage.claims()).at(0)?.metadata.annotations?.[progress];
    await stage.until(async () => (await saved()) !== undefined);
    // Those about its volume are left out, as a tool does that lets the volume be provisioned anew.
    const annotations = { [progress]: (await saved()) ?? "" };
    await stage.deletePod("before");
    await stage.until(podIsGone("before"));
    await stage.until(claimIsGone("data"));
    await stage.createClaim("data", { annotations });
    await stage.createPod("after", ["data"]);
    await stage.until(podIs("after", "Running"));
    await stage.until(protectedClaims);
    await stage.pause(3_000);
    await stage.deleteClaim("data");
    await stage.pause(5_000);
    await stage.deletePod("after");
    await stage.pause(2_000);
  },
};
