import { StatefulSet } from "../../../../shared/kubernetes/kind.ts";
import { pick } from "../../../harness/faults/api.ts";
import { manifest } from "../../../harness/manifest.ts";
import type { Scenario } from "../../scenario.ts";
import type { User } from "../../user.ts";
import { admitted } from "../settings.ts";
import {
  awhile,
  deleteSomehow,
  long,
  patchSet,
  policies,
  removeSet,
  runSet,
  runs,
  scale,
  setPolicy,
  usersOwner,
  withSets,
} from "./sets.ts";

const withSet = "DeleteOnStatefulSetDeletionOnly";

export const rivalSets: Scenario = {
  ...withSets,
  name: "rival-sets",
  doc:
    "Two sets yield the same claim names: template `data` of set `a-web`, and template `data-a` of set `web`. " +
    "A name does not tell whose a claim is.",
  async act(user) {
    await runSet(user, "a-web", { policy: pick(user.random, policies) });
    await awhile(user);
    await runSet(user, "web", { replicas: 1, policy: pick(user.random, policies), template: "data-a" });
    await long(user);
    await deleteSomehow(user, "a-web");
    await user.pause(8_000);
    await removeSet(user, "web");
  },
};

export const claimsMadeBeside: Scenario = {
  ...withSets,
  name: "claims-made-beside",
  doc:
    "Claims are made by hand under the names that a set yields, before it and after; " +
    "something of the user's controls one of them, and owns another.",
  async act(user) {
    const controller = await usersOwner(user, true);
    const owner = await usersOwner(user);
    await user.createClaim("data-web-0");
    await user.createClaim("data-web-1", { ownerReferences: [owner] });
    await user.createClaim("data-web-2", { ownerReferences: [controller] });
    await runSet(user, "web", { replicas: 3, policy: pick(user.random, [...policies, withSet, withSet]) });
    // No controller makes pods for these.
    for (const name of ["data-web-7", "data-web-07"]) await user.createClaim(name, { labels: { app: "web" } });
    await user.createClaim("data-web-2024", { labels: { app: "reports" } });
    await user.createPod("reports", ["data-web-2024"]);
    await awhile(user);
    await scale(user, "web", 1);
    await awhile(user);
    if (user.random.below(2)) await setPolicy(user, "web", withSet);
    await long(user);
    await removeSet(user, "web");
  },
};

export const leftWithoutPolicy: Scenario = {
  ...withSets,
  name: "left-without-policy",
  doc: "A set has left claims before it had a policy, and gets one that deletes; the set lives on.",
  async act(user) {
    await user.createClaim("data-web-5", { labels: { app: "web" } });
    await runSet(user, "web", { replicas: 2 });
    await scale(user, "web", 1);
    await user.until(runs("web", 1));
    await setPolicy(user, "web", withSet);
    await user.pause(5_000);
  },
};

export const rescued: Scenario = {
  ...withSets,
  name: "rescued",
  doc: "A claim that was scaled away is mounted by a user's own pod, and then the policy turns to delete.",
  async act(user) {
    await runSet(user, "web", { replicas: 2, policy: "Retain" });
    await long(user);
    await scale(user, "web", 1);
    await user.until(runs("web", 1));
    await user.createPod("rescue", ["data-web-1"]);
    await long(user);
    await setPolicy(user, "web", withSet);
    await user.pause(5_000);
  },
};

/** Another manager applies the field, as a GitOps tool does. */
const applyField = (user: User, whenDeleted: string, whenScaled: string) =>
  user.attempt(`applies ${whenDeleted}/${whenScaled} to the field of set web`, (client, namespace) => {
    const spec = { persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } };
    const patch = manifest(StatefulSet, { namespace, name: "web" }, { spec });
    return client.patch(StatefulSet, namespace, "web", "apply", patch, { fieldManager: "gitops", force: true });
  });

export const fieldApplied: Scenario = {
  ...withSets,
  name: "field-applied",
  doc: "Another manager applies a field that keeps, or that deletes, under a policy that says otherwise.",
  async act(user) {
    await runSet(user, "web", { replicas: 2 });
    await applyField(user, "Retain", pick(user.random, ["Retain", "Delete"]));
    await awhile(user);
    await setPolicy(user, "web", pick(user.random, policies.slice(1)));
    await long(user);
    await setPolicy(user, "web", pick(user.random, policies));
    await applyField(user, pick(user.random, ["Retain", "Delete"]), "Retain");
    await awhile(user);
    await scale(user, "web", 1);
    await user.pause(3_000);
  },
};

export const fieldFoughtOver: Scenario = {
  ...withSets,
  name: "field-fought-over",
  doc: "Another client writes the field again and again, as a tool does that knows better: that comes to an end.",
  setting: admitted,
  async act(user) {
    await runSet(user, "web", { replicas: 1, policy: withSet });
    for (let round = 0; round < 30; round++) {
      await user.pause(1_000);
      await patchSet(user, "web", "makes Retain the field", {
        spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain" } },
      });
    }
  },
};
