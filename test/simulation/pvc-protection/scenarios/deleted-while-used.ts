import type { Scenario } from "../../scenario.ts";
import { podIs } from "../../stage.ts";
import { besideInTree, withoutInTree } from "../settings.ts";
import { protectedClaims } from "./protected-claims.ts";

const act: Scenario["act"] = async (stage) => {
  await stage.createClaim("data");
  await stage.pause(2_000);
  await stage.createPod("one", ["data"]);
  await stage.createPod("two", ["data"]);
  await stage.until(podIs("one", "Running"));
  await stage.until(protectedClaims);
  await stage.pause(3_000);
  await stage.deleteClaim("data");
  await stage.pause(5_000);
  await stage.deletePod("one");
  await stage.pause(5_000);
  await stage.deletePod("two");
  await stage.pause(2_000);
};

export const deletedWhileUsed: Scenario = {
  name: "deleted-while-used",
  doc: "A claim is deleted while two pods run with it; the pods go one after the other, and the claim with the last.",
  setting: besideInTree,
  act,
};

export const usedAlone: Scenario = {
  name: "used-alone",
  doc: "The same without Kubernetes' own protection, so that nothing of it can hide a fault.",
  setting: withoutInTree,
  act,
};
