import type { Scenario } from "../../scenario.ts";
import { claimIsBound } from "../../user.ts";
import { inTree } from "../may-run.ts";
import { besideInTree, withoutInTree } from "../settings.ts";

/** The race that Kubernetes' own protection leaves open. */
const actedOut =
  (strips: boolean): Scenario["act"] =>
  async (user) => {
    await user.createClaim("data");
    await user.until(claimIsBound("data"));
    await user.pause(1_000);
    // One pod by a scheduler that has not heard of the deletion, others by hand, at about the time of the verdict.
    const byHand = ["later", "later-still", "last", "too-late", "far-too-late"];
    for (const name of byHand) await user.createPod(name, ["data"], { byHand: true });
    const bindSoon = async (name: string) => {
      await user.pause(300);
      await user.bind(name);
    };
    // Each change of the claim triggers the functions that judge it once more.
    const touch = async () => {
      for (let count = 0; count < 8; count++) {
        await user.pause(60);
        await user.patchClaim("data", { metadata: { labels: { count: String(count) } } });
      }
    };
    await Promise.all([
      touch(),
      strips && user.pause(400).then(() => user.strip("data", inTree)),
      user.pause(60).then(() => user.deleteClaim("data")),
      user.createPod("late", ["data"]),
      ...byHand.map(bindSoon),
    ]);
    await user.pause(10_000);
    await user.deletePod("late");
    await user.pause(3_000);
    for (const name of byHand) await user.deletePod(name);
  };

export const lateBinding: Scenario = {
  name: "late-binding",
  doc: "A claim is deleted while a scheduler with an old view of it binds a pod to it.",
  setting: besideInTree,
  claimLag: 2_000,
  act: actedOut(false),
};

export const lateBindingStripped: Scenario = {
  name: "late-binding-stripped",
  doc: "The same, and a person loses patience and removes Kubernetes' finalizer by hand.",
  setting: withoutInTree,
  claimLag: 2_000,
  act: actedOut(true),
};

export const lateBindingAlone: Scenario = {
  name: "late-binding-alone",
  doc: "A claim is deleted while pods are bound to it, and Kubernetes' own protection is switched off.",
  setting: withoutInTree,
  claimLag: 2_000,
  act: actedOut(false),
};
