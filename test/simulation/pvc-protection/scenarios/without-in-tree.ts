import type { Scenario } from "../../scenario.ts";
import { podIs } from "../../user.ts";
import { underInTreeName, withoutInTree } from "../settings.ts";
import { protectedClaims } from "./protected-claims.ts";

const act: Scenario["act"] = async (user) => {
  await user.createClaim("data");
  await user.createClaim("other");
  await user.createPod("web", ["data"]);
  await user.until(podIs("web", "Running"));
  await user.until(protectedClaims);
  await user.pause(2_000);
  await user.deleteClaim("data");
  await user.deleteClaim("other");
  // It comes too late: no scheduler gives it a node.
  await user.createPod("late", ["data"]);
  await user.pause(5_000);
  await user.deletePod("web");
  await user.pause(2_000);
};

export const inTreeOff: Scenario = {
  name: "in-tree-off",
  doc:
    "Kubernetes' own protection is switched off and the functions know: they keep both finalizers, " +
    "and take both away.",
  setting: withoutInTree,
  act,
};

export const inTreeControllerOff: Scenario = {
  name: "in-tree-controller-off",
  doc:
    "As in-tree-off, but the API server still puts Kubernetes' finalizer on new claims, " +
    "as where only its controller is switched off.",
  setting: withoutInTree,
  admissionPlugin: true,
  act,
};

export const standingIn: Scenario = {
  name: "standing-in",
  doc: "The functions stand in for Kubernetes' own protection, under its finalizer.",
  setting: underInTreeName,
  act,
};
