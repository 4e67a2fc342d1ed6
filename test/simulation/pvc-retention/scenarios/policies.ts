import { pick } from "../../../harness/faults/api.ts";
import type { Scenario } from "../../scenario.ts";
import type { User } from "../../user.ts";
import { admitted } from "../settings.ts";
import {
  awhile,
  createSet,
  deleteSomehow,
  long,
  patchSet,
  policies,
  removeSet,
  runSet,
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

const act: Scenario["act"] = async (user) => {
  await runSet(user, "web", { replicas: 3, policy: pick(user.random, policies) });
  await scale(user, "web", 2);
  for (let flip = 0; flip < 3; flip++) {
    await awhile(user);
    await setPolicy(user, "web", pick(user.random, anything));
  }
  await user.pause(pick(user.random, [3_000, 20_000]));
  if (user.random.below(4) === 0) return;
  // Right before the deletion, and with no time for anybody to notice.
  if (user.random.below(2)) await setPolicy(user, "web", pick(user.random, policies));
  if (user.random.below(2)) await scale(user, "web", 1);
  await user.pause(200);
  await removeSet(user, "web");
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
  doc:
    "A policy that deletes claims is taken back long before a scale-down and a deletion: nothing may go then, " +
    "not even what has no pod.",
  async act(user) {
    await runSet(user, "web", { replicas: 3, policy: pick(user.random, policies.slice(1)) });
    await scale(user, "web", 2);
    await long(user);
    await setPolicy(user, "web", pick(user.random, ["Retain", null, "DeleteAll"]));
    await long(user);
    if (user.random.below(2)) await scale(user, "web", 1);
    await user.pause(2_000);
    await removeSet(user, "web");
  },
};

export const policyTurns: Scenario = {
  ...withSets,
  name: "policy-turns",
  doc: "A policy comes that deletes claims with their set, after a replica was scaled away; the set lives on.",
  async act(user) {
    await runSet(user, "web", { replicas: 2, policy: "Retain" });
    await long(user);
    await scale(user, "web", 1);
    await user.until(runs("web", 1));
    await setPolicy(user, "web", "DeleteOnStatefulSetDeletionOnly");
    await user.pause(3_000);
  },
};

export const policyTurnsAtOnce: Scenario = {
  ...withSets,
  name: "policy-turns-at-once",
  doc: "The same, and the policy turns back a moment later.",
  setting: admitted,
  async act(user) {
    await policyTurns.act(user);
    await setPolicy(user, "web", "Retain");
    await long(user);
    await removeSet(user, "web");
  },
};

export const policyTurnsBack: Scenario = {
  ...withSets,
  name: "policy-turns-back",
  doc: "The same, and the policy turns back to Retain while a user's own owners are on the claims; the set lives on.",
  async act(user) {
    const owner = await usersOwner(user);
    await runSet(user, "web", { replicas: 2, policy: "DeleteOnStatefulSetDeletionOnly" });
    await scale(user, "web", 1);
    await user.until(runs("web", 1));
    await user.patchClaim("data-web-1", { metadata: { ownerReferences: [owner] } });
    await user.pause(5_000);
    await setPolicy(user, "web", pick(user.random, ["Retain", null]));
    await user.pause(3_000);
  },
};

export const namespaceTurns: Scenario = {
  ...withSets,
  name: "namespace-turns",
  doc: "The policy of a namespace comes, changes and goes while its sets live on.",
  async act(user) {
    await runSet(user, "web", { replicas: 1 });
    await setDefaultPolicy(user, "DeleteOnScaledownOnly");
    await awhile(user);
    await setDefaultPolicy(user, pick(user.random, policies));
    await awhile(user);
    if (user.random.below(2)) await setDefaultPolicy(user, null);
  },
};

export const policyGone: Scenario = {
  ...withSets,
  name: "policy-gone",
  doc: "A set gets a policy, loses it, gets it again and loses it for good: nothing of ours is left behind.",
  async act(user) {
    await runSet(user, "web", { replicas: 2 });
    await scale(user, "web", 1);
    await user.pause(3_000);
    for (let round = 0; round < 2; round++) {
      await setPolicy(user, "web", "DeleteOnStatefulSetDeletionOnly");
      await awhile(user);
      await setPolicy(user, "web", null);
      await awhile(user);
    }
  },
};

export const namespaceDefault: Scenario = {
  ...withSets,
  name: "namespace-default",
  doc:
    "Two sets have their policy from their namespace, where it changes; one of them has one of its own, " +
    "for a while.",
  async act(user) {
    await setDefaultPolicy(user, pick(user.random, policies));
    await createSet(user, "web", { replicas: 2 });
    await createSet(user, "db", { replicas: 2, policy: "Retain" });
    await user.until(runs("web", 2));
    await user.until(runs("db", 2));
    await setDefaultPolicy(user, pick(user.random, anything));
    await awhile(user);
    await both(user, (name) => scale(user, name, 1));
    await awhile(user);
    await setPolicy(user, "db", null);
    await setDefaultPolicy(user, pick(user.random, policies));
    await awhile(user);
    await both(user, (name) => deleteSomehow(user, name));
    await both(user, (name) => user.until(setIsGone(name)));
  },
};

const both = (user: User, act: (name: string) => Promise<void>) =>
  user.random.below(2) === 0 ? act("db").then(() => act("web")) : act("web").then(() => act("db"));

export const rollingUpdate: Scenario = {
  ...withSets,
  name: "rolling-update",
  doc: "The pods of a set are replaced one by one while it is scaled; no claim of a replica that stays may go.",
  async act(user) {
    await runSet(user, "web", { replicas: 3, policy: "DeleteOnScaledownAndStatefulSetDeletion" });
    const image = (image: string) =>
      patchSet(user, "web", `makes ${image} the image`, {
        spec: { template: { spec: { containers: [{ name: "main", image }] } } },
      });
    await image("registry.example/main:2");
    await user.pause(4_000);
    await scale(user, "web", 2);
    await user.pause(4_000);
    await image("registry.example/main:3");
    await user.pause(2_000);
    await user.deletePod("web-0", { force: user.random.below(2) === 0 });
    await user.until(runs("web", 2));
  },
};
