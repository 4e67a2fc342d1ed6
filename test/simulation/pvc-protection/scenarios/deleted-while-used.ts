import type { Scenario } from "../../scenario.ts";
import { podIs } from "../../user.ts";
import { besideInTree, withoutInTree } from "../settings.ts";
import { protectedClaims } from "./protected-claims.ts";

const act: Scenario["act"] = async (user) => {
  await user.createClaim("data");
  await user.pause(2_000);
  await user.createPod("one", ["data"]);
  await user.createPod("two", ["data"]);
  await user.until(podIs("one", "Running"));
  await user.until(protectedClaims);
  await user.pause(3_000);
  await user.deleteClaim("data");
  await user.pause(5_000);
  await user.deletePod("one");
  await user.pause(5_000);
  await user.deletePod("two");
  await user.pause(2_000);
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
