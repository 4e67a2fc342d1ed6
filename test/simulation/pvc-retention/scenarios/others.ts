import { StatefulSet } from "../../../../shared/kubernetes/kind.ts";
import { manifest } from "../../../worlds/manifest.ts";
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
  setIsGone,
  setPolicy,
  usersOwner,
  withSets,
} from "./sets.ts";

const withSet = "DeleteOnStatefulSetDeletionOnly";

export const rivalSets: Scenario = {
  ...withSets,
  name: "rival-sets",
  doc: "Two sets yield the same claim names: template `data` of set `a-web`, and template `data-a` of set `web`. A name does not tell whose a claim is.",
  setting: byDefault,
  async act(stage) {
    await createSet(stage, "a-web", { policy: pick(stage.random, policies) });
    await stage.until(runs("a-web", 2));
    await awhile(stage);
    await createSet(stage, "web", { replicas: 1, policy: pick(stage.random, policies), template: "data-a" });
    await stage.until(runs("web", 1));
    await long(stage);
    await deleteSomehow(stage, "a-web");
    await stage.pause(8_000);
    await deleteSomehow(stage, "web");
    await stage.until(setIsGone("web"));
  },
};

export const claimsMadeBeside: Scenario = {
  ...withSets,
  name: "claims-made-beside",
  doc: "Claims are made by hand under the names that a set yields, before it and after; something of the user's controls one of them, and owns another.",
  setting: byDefault,
  async act(stage) {
    const controller = await usersOwner(stage, true);
    const owner = await usersOwner(stage);
    await stage.createClaim("data-web-0");
    await stage.createClaim("data-web-1", { ownerReferences: [owner] });
    await stage.createClaim("data-web-2", { ownerReferences: [controller] });
    await createSet(stage, "web", { replicas: 3, policy: pick(stage.random, [...policies, withSet, withSet]) });
    await stage.until(runs("web", 3));
    // Nobody makes pods for these.
    for (const name of ["data-web-7", "data-web-07"]) await stage.createClaim(name, { labels: { app: "web" } });
    await stage.createClaim("data-web-2024", { labels: { app: "reports" } });
    await stage.createPod("reports", ["data-web-2024"]);
    await awhile(stage);
    await scale(stage, "web", 1);
    await awhile(stage);
    if (stage.random.below(2)) await setPolicy(stage, "web", withSet);
    await long(stage);
    await deleteSomehow(stage, "web");
    await stage.until(setIsGone("web"));
  },
};

export const leftToNobody: Scenario = {
  ...withSets,
  name: "left-to-nobody",
  doc: "A set has left claims before it had a policy, and gets one that deletes; the set lives on.",
  setting: byDefault,
  async act(stage) {
    await stage.createClaim("data-web-5", { labels: { app: "web" } });
    await createSet(stage, "web", { replicas: 2 });
    await stage.until(runs("web", 2));
    await scale(stage, "web", 1);
    await stage.until(runs("web", 1));
    await setPolicy(stage, "web", withSet);
    await stage.pause(5_000);
  },
};

export const rescued: Scenario = {
  ...withSets,
  name: "rescued",
  doc: "A claim that was scaled away is mounted by somebody's own pod, and then the policy turns to delete.",
  setting: byDefault,
  async act(stage) {
    await createSet(stage, "web", { replicas: 2, policy: "Retain" });
    await stage.until(runs("web", 2));
    await long(stage);
    await scale(stage, "web", 1);
    await stage.until(runs("web", 1));
    await stage.createPod("rescue", ["data-web-1"]);
    await long(stage);
    await setPolicy(stage, "web", withSet);
    await stage.pause(5_000);
  },
};

/** Somebody applies the field, as a GitOps tool does. */
const applyField = (stage: Stage, whenDeleted: string, whenScaled: string) =>
  stage.attempt(`applies ${whenDeleted}/${whenScaled} to the field of set web`, (client, namespace) => {
    const spec = { persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } };
    const patch = manifest(StatefulSet, { namespace, name: "web" }, { spec });
    return client.patch(StatefulSet, namespace, "web", "apply", patch, { fieldManager: "gitops", force: true });
  });

export const fieldApplied: Scenario = {
  ...withSets,
  name: "field-applied",
  doc: "Somebody applies a field that keeps, or that deletes, under a policy that says otherwise.",
  setting: byDefault,
  async act(stage) {
    await createSet(stage, "web", { replicas: 2 });
    await stage.until(runs("web", 2));
    await applyField(stage, "Retain", pick(stage.random, ["Retain", "Delete"]));
    await awhile(stage);
    await setPolicy(stage, "web", pick(stage.random, policies.slice(1)));
    await long(stage);
    await setPolicy(stage, "web", pick(stage.random, policies));
    await applyField(stage, pick(stage.random, ["Retain", "Delete"]), "Retain");
    await awhile(stage);
    await scale(stage, "web", 1);
    await stage.pause(3_000);
  },
};

export const fieldFoughtOver: Scenario = {
  ...withSets,
  name: "field-fought-over",
  doc: "Somebody writes the field again and again, as a tool does that knows better: that comes to an end.",
  setting: admitted,
  async act(stage) {
    await createSet(stage, "web", { replicas: 1, policy: withSet });
    await stage.until(runs("web", 1));
    for (let round = 0; round < 30; round++) {
      await stage.pause(1_000);
      await patchSet(stage, "web", "makes Retain the field", {
        spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain" } },
      });
    }
  },
};
