import type { Scenario } from "../../scenario.ts";
import { claimIsBound, claimIsGone, podIs, podIsGone } from "../../stage.ts";
import { besideInTree, withoutInTree } from "../settings.ts";

const act: Scenario["act"] = async (stage) => {
  await stage.createClaim("data-web-0");
  await stage.createPod("web-0", ["data-web-0"]);
  await stage.until(podIs("web-0", "Running"));
  await stage.deleteClaim("data-web-0");
  await stage.pause(2_000);
  await stage.deletePod("web-0");
  await stage.until(podIsGone("web-0"));
  await stage.until(claimIsGone("data-web-0"));
  await stage.createClaim("data-web-0");
  await stage.createPod("web-0", ["data-web-0"]);
  await stage.until(claimIsBound("data-web-0"));
  await stage.pause(5_000);
  await stage.deleteClaim("data-web-0");
  await stage.pause(2_000);
  await stage.deletePod("web-0", { force: true });
  await stage.pause(1_000);
};

export const replaced: Scenario = {
  name: "replaced",
  doc: "A claim and its pod are deleted and created anew under their names, as a StatefulSet does, and the new claim is deleted, too.",
  setting: besideInTree,
  act,
};

export const replacedAlone: Scenario = {
  name: "replaced-alone",
  doc: "The same without Kubernetes' own protection, so that nothing of it can hide a fault.",
  setting: withoutInTree,
  act,
};
