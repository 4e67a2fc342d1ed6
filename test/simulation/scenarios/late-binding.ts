import type { Scenario } from "../scenario.ts";
import { claimIsBound } from "../stage.ts";
import { besideInTree, withoutInTree } from "./settings.ts";

/** The race that Kubernetes' own protection leaves open. */
const act: Scenario["act"] = async (stage) => {
  await stage.createClaim("data");
  await stage.until(claimIsBound("data"));
  await stage.pause(1_000);
  // One pod by a scheduler that has not heard of the deletion, one by hand, at about the time of the verdict.
  await Promise.all([
    stage.pause(80).then(() => stage.deleteClaim("data")),
    stage.createPod("late", ["data"]),
    (async () => {
      await stage.createPod("later", ["data"], { byHand: true });
      await stage.pause(250);
      await stage.bind("later");
    })(),
  ]);
  await stage.pause(10_000);
  await stage.deletePod("late");
  await stage.pause(3_000);
  await stage.deletePod("later");
};

export const lateBinding: Scenario = {
  name: "late-binding",
  doc: "A claim is deleted while a scheduler with an old view of it binds a pod to it.",
  setting: besideInTree,
  claimLag: 2_000,
  act,
};

export const lateBindingAlone: Scenario = {
  name: "late-binding-alone",
  doc: "A claim is deleted while pods are bound to it, and Kubernetes' own protection is switched off.",
  setting: withoutInTree,
  claimLag: 2_000,
  act,
};
