import { PersistentVolumeClaim } from "../../../../shared/kubernetes/kind.ts";
import { pick } from "../../faults/api.ts";
import type { Scenario } from "../../scenario.ts";
import { off, whole } from "../settings.ts";
import {
  awhile,
  createSet,
  deleteSomehow,
  long,
  policies,
  runs,
  scale,
  setIsGone,
  usersOwner,
  withSets,
} from "./sets.ts";

export const rivalSets: Scenario = {
  ...withSets,
  name: "rival-sets",
  doc: "Two sets yield the same claim names: template `data` of set `a-web`, and template `data-a` of set `web`. Whose a claim is cannot be told.",
  setting: off,
  // That a rival is gone wakes nobody.
  waits: true,
  async act(stage) {
    await createSet(stage, "a-web", { policy: pick(stage.random, policies) });
    await stage.until(runs("a-web", 2));
    await awhile(stage);
    await createSet(stage, "web", { replicas: 1, policy: pick(stage.random, policies), template: "data-a" });
    await stage.until(runs("web", 1));
    await long(stage);
    await scale(stage, "a-web", 1);
    await stage.pause(5_000);
    await scale(stage, "web", 0);
    await stage.pause(8_000);
    await deleteSomehow(stage, "web");
    await stage.until(setIsGone("web"));
    await stage.pause(5_000);
  },
};

export const claimsMadeBefore: Scenario = {
  ...withSets,
  name: "claims-made-before",
  doc: "Claims were made by hand under the names that a set yields; something of the user's controls one of them, and owns another.",
  setting: whole,
  async act(stage) {
    const controller = await usersOwner(stage, true);
    const owner = await usersOwner(stage);
    await stage.createClaim("data-web-0");
    await stage.createClaim("data-web-1", { ownerReferences: [owner] });
    await stage.createClaim("data-web-2", { ownerReferences: [controller] });
    // Nobody makes pods for these.
    await stage.createClaim("data-web-7");
    await stage.createClaim("data-web-07");
    await stage.createClaim("data-web-8", { ownerReferences: [owner] });
    await createSet(stage, "web", { replicas: 3, policy: pick(stage.random, policies) });
    await stage.until(runs("web", 3));
    await awhile(stage);
    await scale(stage, "web", 1);
    await awhile(stage);
    await stage.attempt("takes the owners off claim data-web-1", (client, namespace) =>
      client.patch(PersistentVolumeClaim, namespace, "data-web-1", "merge", { metadata: { ownerReferences: null } }),
    );
    await stage.pause(5_000);
    await deleteSomehow(stage, "web");
    await stage.until(setIsGone("web"));
  },
};
