import { PersistentVolumeClaim } from "../../../../shared/kubernetes/kind.ts";
import { pick } from "../../faults/api.ts";
import type { Scenario } from "../../scenario.ts";
import type { Stage } from "../../stage.ts";
import { off, whole } from "../settings.ts";
import { deleteAtKey } from "../words.ts";
import { awhile, createSet, deleteSomehow, patchSet, runs, scale, setIsGone, setPolicy, withSets } from "./sets.ts";

const delay = "30s";
const both = "DeleteOnScaledownAndStatefulSetDeletion";

const isMarked =
  (name: string) =>
  async (stage: Stage): Promise<boolean> =>
    (await stage.claims()).some(
      ({ metadata }) => metadata.name === name && metadata.annotations?.[deleteAtKey] !== undefined,
    );

const unmark = (stage: Stage, name: string) =>
  stage.attempt(`takes the mark off claim ${name}`, (client, namespace) =>
    client.patch(PersistentVolumeClaim, namespace, name, "merge", {
      metadata: { annotations: { [deleteAtKey]: null } },
    }),
  );

export const graceAfterScaleDown: Scenario = {
  ...withSets,
  name: "grace-after-scale-down",
  doc: "Claims are marked at a scale-down: one is saved, one is used again, one goes when its time has come.",
  setting: whole,
  waits: true,
  async act(stage) {
    await createSet(stage, "web", { replicas: 4, policy: both, grace: delay });
    await stage.until(runs("web", 4));
    await awhile(stage);
    await scale(stage, "web", 1);
    await stage.until(isMarked("data-web-3"));
    await unmark(stage, "data-web-3");
    await stage.pause(20_000);
    await scale(stage, "web", 2);
    await stage.until(runs("web", 2));
    if (stage.random.below(3) === 0) await setPolicy(stage, "web", "Retain");
  },
};

export const graceAndBack: Scenario = {
  ...withSets,
  name: "grace-and-back",
  doc: "A replica is scaled away, and back right before the time of its claim has come.",
  setting: whole,
  waits: true,
  async act(stage) {
    await createSet(stage, "web", { replicas: 2, policy: both, grace: delay });
    await stage.until(runs("web", 2));
    await scale(stage, "web", 1);
    await stage.until(isMarked("data-web-1"));
    await stage.pause(2_000);
    await patchClaimTime(stage, "data-web-1");
    await scale(stage, "web", 2);
    await stage.until(runs("web", 2));
  },
};

/** People may move the time of a claim; this one is now. */
const patchClaimTime = (stage: Stage, name: string) =>
  stage.patchClaim(name, { metadata: { annotations: { [deleteAtKey]: "2026-01-01T00:00:01Z" } } });

export const markedByHand: Scenario = {
  ...withSets,
  name: "marked-by-hand",
  doc: "Somebody writes a time on a claim of a replica that runs, and one is restored with a time and what was noted about it.",
  setting: off,
  waits: true,
  async act(stage) {
    await createSet(stage, "web", { replicas: 2, policy: both, grace: delay });
    await stage.until(runs("web", 2));
    await patchClaimTime(stage, "data-web-0");
    await scale(stage, "web", 1);
    await stage.until(isMarked("data-web-1"));
    const marked = (await stage.claims()).find(({ metadata }) => metadata.name === "data-web-1");
    const annotations = Object.fromEntries(
      Object.entries(marked?.metadata.annotations ?? {}).filter(([key]) => key.startsWith("holdfast.dev/")),
    );
    await stage.createClaim("restored", { annotations: { ...annotations, [deleteAtKey]: "2026-01-01T00:00:01Z" } });
    await stage.pause(3_000);
  },
};

export const graceAfterDeletion: Scenario = {
  ...withSets,
  name: "grace-after-deletion",
  doc: "A set with a grace is deleted; one of its claims is saved, and at times the set comes back before the others go.",
  setting: off,
  waits: true,
  async act(stage) {
    await createSet(stage, "web", { replicas: 2, policy: both, grace: delay });
    await stage.until(runs("web", 2));
    await scale(stage, "web", 1);
    await awhile(stage);
    await deleteSomehow(stage, "web");
    await stage.until(setIsGone("web"));
    await unmark(stage, "data-web-0");
    await stage.pause(35_000);
    if (stage.random.below(2) === 0) await createSet(stage, "web", { replicas: 2, policy: both, grace: delay });
    await stage.pause(20_000);
  },
};

export const graceChanges: Scenario = {
  ...withSets,
  name: "grace-changes",
  doc: "The grace of a set changes, goes, or cannot be read, while claims of it are marked.",
  setting: whole,
  waits: true,
  async act(stage) {
    await createSet(stage, "web", { replicas: 3, policy: both, grace: delay });
    await stage.until(runs("web", 3));
    await scale(stage, "web", 1);
    await stage.pause(10_000);
    const grace = pick(stage.random, ["60s", null, "soon"]);
    await patchSet(stage, "web", `makes ${grace} the grace`, {
      metadata: { annotations: { "holdfast.dev/pvc-delete-after": grace } },
    });
    await stage.pause(20_000);
    await scale(stage, "web", 0);
    await stage.pause(10_000);
    await deleteSomehow(stage, "web");
    await stage.until(setIsGone("web"));
  },
};
