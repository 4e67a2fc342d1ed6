import { StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { pick } from "../faults/api.ts";
import { type Meddling, onClaim } from "../faults/meddling.ts";
import type { Stage } from "../stage.ts";
import { progressOf } from "./history.ts";
import { deleteSomehow, patchSet, policies, scale, setPolicy } from "./scenarios/sets.ts";

const rules = ["project", "own"];

async function onSet(stage: Stage, act: (set: KubernetesObject) => Promise<unknown>): Promise<void> {
  const sets = await stage.list(StatefulSet);
  if (sets.length > 0) await act(pick(stage.random, sets));
}

const annotateSet = (stage: Stage, { metadata }: KubernetesObject, annotations: Record<string, string | null>) =>
  patchSet(stage, metadata.name, `annotates ${JSON.stringify(annotations)}`, { metadata: { annotations } });

/** What somebody might write where our progress stands. */
const lies = ({ metadata }: KubernetesObject) => [
  `{"v":1,"uid":"${metadata.uid}","step":"in-force","since":"yesterday","because":"I say so"}`,
  `{"v":1,"uid":"not-this-one","step":"used","since":"2026-01-01T00:00:00Z","because":"copied"}`,
  "{",
  "",
];

/** What users and operators may do to PVC retention. */
export const meddlings: Readonly<Record<string, Meddling>> = {
  "changes the policy": (stage) =>
    onSet(stage, ({ metadata }) => setPolicy(stage, metadata.name, pick(stage.random, [...policies, null, "Keep"]))),
  "scales a set": (stage) => onSet(stage, ({ metadata }) => scale(stage, metadata.name, stage.random.below(4))),
  "deletes a set": (stage) => onSet(stage, ({ metadata }) => deleteSomehow(stage, metadata.name)),
  "takes our progress off a set": (stage) =>
    onSet(stage, (set) => annotateSet(stage, set, { [progressOf(pick(stage.random, rules))]: null })),
  "edits our progress on a set": (stage) =>
    onSet(stage, (set) =>
      annotateSet(stage, set, { [progressOf(pick(stage.random, rules))]: pick(stage.random, lies(set)) }),
    ),
  "edits our progress on a claim": (stage) =>
    onClaim(stage, (claim) =>
      stage.patchClaim(claim.metadata.name, {
        metadata: { annotations: { [progressOf("own")]: pick(stage.random, lies(claim)) } },
      }),
    ),
  "takes the owners off a claim": (stage) =>
    onClaim(stage, ({ metadata }) => stage.patchClaim(metadata.name, { metadata: { ownerReferences: null } })),
  "changes the labels of a claim": (stage) =>
    onClaim(stage, ({ metadata }) => stage.patchClaim(metadata.name, { metadata: { labels: { app: "another" } } })),
  "deletes a replica by force": (stage) =>
    onSet(stage, ({ metadata }) => stage.deletePod(`${metadata.name}-${stage.random.below(2)}`, { force: true })),
};
