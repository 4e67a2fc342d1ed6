import { pick } from "../../faults/api.ts";
import type { Scenario } from "../../scenario.ts";
import type { Stage } from "../../stage.ts";
import { admitted, byDefault } from "../settings.ts";
import {
  awhile,
  createSet,
  deleteSomehow,
  long,
  patchSet,
  policies,
  runs,
  scale,
  setDefaultPolicy,
  setIsGone,
  setPolicy,
  usersOwner,
  withSets,
} from "./sets.ts";

/** What people write there, mistakes included; `null` takes it away. */
const anything = [...policies, null, "DeleteAll"];

const act: Scenario["act"] = async (stage) => {
  await createSet(stage, "web", { replicas: 3, policy: pick(stage.random, policies) });
  await stage.until(runs("web", 3));
  await scale(stage, "web", 2);
  for (let flip = 0; flip < 3; flip++) {
    await awhile(stage);
    await setPolicy(stage, "web", pick(stage.random, anything));
  }
  await stage.pause(pick(stage.random, [3_000, 20_000]));
  if (stage.random.below(4) === 0) return;
  // Right before the deletion, and with no time for anybody to notice.
  if (stage.random.below(2)) await setPolicy(stage, "web", pick(stage.random, policies));
  if (stage.random.below(2)) await scale(stage, "web", 1);
  await stage.pause(200);
  await deleteSomehow(stage, "web");
  await stage.until(setIsGone("web"));
};

export const policyFlips: Scenario = {
  ...withSets,
  name: "policy-flips",
  doc: "The policy of a set changes again and again, at last right before a scale-down and a deletion.",
  setting: admitted,
  act,
};

export const keptInTime: Scenario = {
  ...withSets,
  name: "kept-in-time",
  doc: "A policy that deletes claims is taken back long before a scale-down and a deletion: nothing may go then, not even what has no pod.",
  setting: byDefault,
  async act(stage) {
    await createSet(stage, "web", { replicas: 3, policy: pick(stage.random, policies.slice(1)) });
    await stage.until(runs("web", 3));
    await scale(stage, "web", 2);
    await long(stage);
    await setPolicy(stage, "web", pick(stage.random, ["Retain", null, "DeleteAll"]));
    await long(stage);
    if (stage.random.below(2)) await scale(stage, "web", 1);
    await stage.pause(2_000);
    await deleteSomehow(stage, "web");
    await stage.until(setIsGone("web"));
  },
};

export const policyTurns: Scenario = {
  ...withSets,
  name: "policy-turns",
  doc: "A policy comes that deletes claims with their set, after a replica was scaled away; the set lives on.",
  setting: byDefault,
  async act(stage) {
    await createSet(stage, "web", { replicas: 2, policy: "Retain" });
    await stage.until(runs("web", 2));
    await scale(stage, "web", 1);
    await stage.until(runs("web", 1));
    await setPolicy(stage, "web", "DeleteOnStatefulSetDeletionOnly");
    await stage.pause(3_000);
  },
};

export const policyTurnsAtOnce: Scenario = {
  ...withSets,
  name: "policy-turns-at-once",
  doc: "The same, and the policy turns back a moment later.",
  setting: admitted,
  async act(stage) {
    await policyTurns.act(stage);
    await setPolicy(stage, "web", "Retain");
    await long(stage);
    await deleteSomehow(stage, "web");
    await stage.until(setIsGone("web"));
  },
};

export const policyTurnsBack: Scenario = {
  ...withSets,
  name: "policy-turns-back",
  doc: "The same, and the policy turns back to Retain while a user's own owners are on the claims; the set lives on.",
  setting: byDefault,
  async act(stage) {
    const owner = await usersOwner(stage);
    await createSet(stage, "web", { replicas: 2, policy: "DeleteOnStatefulSetDeletionOnly" });
    await stage.until(runs("web", 2));
    await scale(stage, "web", 1);
    await stage.until(runs("web", 1));
    await stage.patchClaim("data-web-1", { metadata: { ownerReferences: [owner] } });
    await stage.pause(5_000);
    await setPolicy(stage, "web", pick(stage.random, ["Retain", null]));
    await stage.pause(3_000);
  },
};

export const namespaceTurns: Scenario = {
  ...withSets,
  name: "namespace-turns",
  doc: "The policy of a namespace comes, changes and goes while its sets live on.",
  setting: byDefault,
  async act(stage) {
    await createSet(stage, "web", { replicas: 1 });
    await stage.until(runs("web", 1));
    await setDefaultPolicy(stage, "DeleteOnScaledownOnly");
    await awhile(stage);
    await setDefaultPolicy(stage, pick(stage.random, policies));
    await awhile(stage);
    if (stage.random.below(2)) await setDefaultPolicy(stage, null);
  },
};

export const policyGone: Scenario = {
  ...withSets,
  name: "policy-gone",
  doc: "A set gets a policy, loses it, gets it again and loses it for good: nothing of ours is left behind.",
  setting: byDefault,
  async act(stage) {
    await createSet(stage, "web", { replicas: 2 });
    await stage.until(runs("web", 2));
    await scale(stage, "web", 1);
    await stage.pause(3_000);
    for (let round = 0; round < 2; round++) {
      await setPolicy(stage, "web", "DeleteOnStatefulSetDeletionOnly");
      await awhile(stage);
      await setPolicy(stage, "web", null);
      await awhile(stage);
    }
  },
};

export const namespaceDefault: Scenario = {
  ...withSets,
  name: "namespace-default",
  doc: "Two sets have their policy from their namespace, where it changes; one of them has one of its own, for a while.",
  setting: byDefault,
  async act(stage) {
    await setDefaultPolicy(stage, pick(stage.random, policies));
    await createSet(stage, "web", { replicas: 2 });
    await createSet(stage, "db", { replicas: 2, policy: "Retain" });
    await stage.until(runs("web", 2));
    await stage.until(runs("db", 2));
    await setDefaultPolicy(stage, pick(stage.random, anything));
    await awhile(stage);
    await both(stage, (name) => scale(stage, name, 1));
    await awhile(stage);
    await setPolicy(stage, "db", null);
    await setDefaultPolicy(stage, pick(stage.random, policies));
    await awhile(stage);
    await both(stage, (name) => deleteSomehow(stage, name));
    await both(stage, (name) => stage.until(setIsGone(name)));
  },
};

const both = (stage: Stage, act: (name: string) => Promise<void>) =>
  stage.random.below(2) === 0 ? act("db").then(() => act("web")) : act("web").then(() => act("db"));

export const rollingUpdate: Scenario = {
  ...withSets,
  name: "rolling-update",
  doc: "The pods of a set are replaced one by one while it is scaled; no claim of a replica that stays may go.",
  setting: byDefault,
  async act(stage) {
    await createSet(stage, "web", { replicas: 3, policy: "DeleteOnScaledownAndStatefulSetDeletion" });
    await stage.until(runs("web", 3));
    const image = (image: string) =>
      patchSet(stage, "web", `makes ${image} the image`, {
        spec: { template: { spec: { containers: [{ name: "main", image }] } } },
      });
    await image("registry.example/main:2");
    await stage.pause(4_000);
    await scale(stage, "web", 2);
    await stage.pause(4_000);
    await image("registry.example/main:3");
    await stage.pause(2_000);
    await stage.deletePod("web-0", { force: stage.random.below(2) === 0 });
    await stage.until(runs("web", 2));
  },
};
