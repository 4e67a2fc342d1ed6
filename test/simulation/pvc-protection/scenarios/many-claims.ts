import type { Scenario } from "../../scenario.ts";
import { podIs } from "../../user.ts";
import { besideInTree, withoutInTree } from "../settings.ts";
import { protectedClaims } from "./protected-claims.ts";

const act: Scenario["act"] = async (user) => {
  const names = ["a-used", "b-free", "m-used", "x-free"];
  for (const name of names)
    await user.createClaim(name, ["b-free", "m-used"].includes(name) ? { finalizers: ["a.example/hold"] } : {});
  await user.createClaim("z-kept");
  await user.createPod("alpha", ["a-used"]);
  await user.createPod("idle", []);
  await user.createPod("zulu", ["m-used", "a-used"]);
  await user.until(podIs("zulu", "Running"));
  await user.until(protectedClaims);
  await user.pause(2_000);
  for (const name of names) {
    await user.deleteClaim(name);
    await user.pause(50);
  }
  await user.pause(3_000);
  await user.deletePod("alpha");
  await user.pause(3_000);
  await user.strip("b-free", "a.example/hold");
  await user.deletePod("zulu");
  await user.pause(1_000);
};

export const manyClaims: Scenario = {
  name: "many-claims",
  doc:
    "Of several claims of one namespace some are used, by pods at both ends of the list; " +
    "all but one are deleted at once.",
  setting: besideInTree,
  act,
};

export const manyClaimsAlone: Scenario = {
  name: "many-claims-alone",
  doc: "The same without Kubernetes' own protection, so that nothing of it can hide a fault.",
  setting: withoutInTree,
  act,
};
