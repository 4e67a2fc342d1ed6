import type { Scenario } from "../../scenario.ts";
import { podIs } from "../../stage.ts";
import { besideInTree, withoutInTree } from "../settings.ts";
import { protectedClaims } from "./protected-claims.ts";

const act: Scenario["act"] = async (stage) => {
  const names = ["a-used", "b-free", "m-used", "x-free"];
  for (const name of names)
    await stage.createClaim(name, ["b-free", "m-used"].includes(name) ? { finalizers: ["a.example/hold"] } : {});
  await stage.createClaim("z-kept");
  await stage.createPod("alpha", ["a-used"]);
  await stage.createPod("idle", []);
  await stage.createPod("zulu", ["m-used", "a-used"]);
  await stage.until(podIs("zulu", "Running"));
  await stage.until(protectedClaims);
  await stage.pause(2_000);
  for (const name of names) {
    await stage.deleteClaim(name);
    await stage.pause(50);
  }
  await stage.pause(3_000);
  await stage.deletePod("alpha");
  await stage.pause(3_000);
  await stage.strip("b-free", "a.example/hold");
  await stage.deletePod("zulu");
  await stage.pause(1_000);
};

export const manyClaims: Scenario = {
  name: "many-claims",
  doc: "Of several claims of one namespace some are used, by pods at both ends of the list; all but one are deleted at once.",
  setting: besideInTree,
  act,
};

export const manyClaimsAlone: Scenario = {
  name: "many-claims-alone",
  doc: "The same without Kubernetes' own protection, so that nothing of it can hide a fault.",
  setting: withoutInTree,
  act,
};
