import type { Setting } from "../../../worlds/world.ts";
import { pick } from "../../faults/api.ts";
import type { Scenario } from "../../scenario.ts";
import type { Stage } from "../../stage.ts";
import { off, whole, withoutField } from "../settings.ts";
import { awhile, createSet, patchSet, runs, scale, withSets } from "./sets.ts";

const deletingThen = ["DeleteOnScaledownOnly", "DeleteOnScaledownAndStatefulSetDeletion"] as const;

/** Down and up, so quickly that some of it is never seen; a pod is deleted by hand right before. */
const act: Scenario["act"] = async (stage) => {
  await createSet(stage, "web", { replicas: 3, policy: pick(stage.random, deletingThen) });
  await stage.until(runs("web", 3));
  await awhile(stage);
  await stage.deletePod("web-2", { force: stage.random.below(2) === 0 });
  await stage.pause(500);
  await scale(stage, "web", 1);
  const touching = touch(stage);
  await stage.pause(pick(stage.random, [300, 3_000]));
  await scale(stage, "web", 3);
  await touching;
  await stage.until(runs("web", 3));
  await scale(stage, "web", 0);
  await awhile(stage);
  await scale(stage, "web", 2);
  await stage.until(runs("web", 2));
};

/** Changes claims while they are judged, as whoever labels them does. */
async function touch(stage: Stage): Promise<void> {
  for (let count = 0; count < 10; count++) {
    await stage.pause(150);
    await stage.patchClaim(`data-web-${1 + (count % 2)}`, { metadata: { labels: { count: String(count) } } });
  }
}

const scaledUnder = (name: string, doc: string, setting: Setting): Scenario => ({
  ...withSets,
  name,
  doc,
  setting,
  act,
});

export const scaledDownAndUp = scaledUnder(
  "scaled-down-and-up",
  "A set that loses the claims of replicas that are scaled away is scaled down and up again at once.",
  whole,
);

export const scaledByRules = scaledUnder(
  "scaled-by-rules",
  "The same where nothing is projected, so that the rules delete the claims.",
  off,
);

export const scaledWithoutField = scaledUnder(
  "scaled-without-field",
  "The same on a server whose sets have no retention policy.",
  withoutField,
);

export const ordinalsMoved: Scenario = {
  ...withSets,
  name: "ordinals-moved",
  doc: "The first ordinal of a set is moved up and down: replicas are scaled away at the lower end, too.",
  setting: off,
  async act(stage) {
    await createSet(stage, "web", { replicas: 3, policy: pick(stage.random, deletingThen) });
    await stage.until(runs("web", 3));
    await awhile(stage);
    await patchSet(stage, "web", "makes 2 the first ordinal", { spec: { ordinals: { start: 2 } } });
    await stage.pause(8_000);
    await patchSet(stage, "web", "makes 1 the first ordinal", { spec: { ordinals: { start: 1 }, replicas: 2 } });
    await stage.until(runs("web", 2));
  },
};
