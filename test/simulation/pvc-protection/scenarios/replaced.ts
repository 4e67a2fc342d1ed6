import type { Scenario } from "../../scenario.ts";
import { claimIsBound, claimIsGone, podIs, podIsGone } from "../../user.ts";
import { besideInTree, withoutInTree } from "../settings.ts";

const act: Scenario["act"] = async (user) => {
  await user.createClaim("data-web-0");
  await user.createPod("web-0", ["data-web-0"]);
  await user.until(podIs("web-0", "Running"));
  await user.deleteClaim("data-web-0");
  await user.pause(2_000);
  await user.deletePod("web-0");
  await user.until(podIsGone("web-0"));
  await user.until(claimIsGone("data-web-0"));
  await user.createClaim("data-web-0");
  await user.createPod("web-0", ["data-web-0"]);
  await user.until(claimIsBound("data-web-0"));
  await user.pause(5_000);
  await user.deleteClaim("data-web-0");
  await user.pause(2_000);
  await user.deletePod("web-0", { force: true });
  await user.pause(1_000);
};

export const replaced: Scenario = {
  name: "replaced",
  doc:
    "A claim and its pod are deleted and created again under their names, as a StatefulSet does, " +
    "and the new claim is deleted, too.",
  setting: besideInTree,
  act,
};

export const replacedAlone: Scenario = {
  name: "replaced-alone",
  doc: "The same without Kubernetes' own protection, so that nothing of it can hide a fault.",
  setting: withoutInTree,
  act,
};
