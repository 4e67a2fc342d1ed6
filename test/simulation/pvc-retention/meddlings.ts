import { StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { pick } from "../faults/api.ts";
import { type Meddling, onClaim } from "../faults/meddling.ts";
import type { Stage } from "../stage.ts";
import { deleteSomehow, patchSet, policies, scale, setPolicy } from "./scenarios/sets.ts";
import { deleteAtKey, finalizer, graceKey, progressOf } from "./words.ts";

const rules = ["project", "own", "condemn", "bequeath", "grace"];

async function onSet(stage: Stage, act: (set: KubernetesObject) => Promise<unknown>): Promise<void> {
  const sets = await stage.list(StatefulSet);
  if (sets.length > 0) await act(pick(stage.random, sets));
}

const annotateSet = (stage: Stage, { metadata }: KubernetesObject, annotations: Record<string, string | null>) =>
  patchSet(stage, metadata.name, `annotates ${JSON.stringify(annotations)}`, { metadata: { annotations } });

const annotateClaim = (stage: Stage, { metadata }: KubernetesObject, annotations: Record<string, string | null>) =>
  stage.patchClaim(metadata.name, { metadata: { annotations } });

/** What somebody might write where our progress stands. */
const lies = ({ metadata }: KubernetesObject) => [
  `{"v":1,"uid":"${metadata.uid}","step":"in-force","since":"yesterday","because":"I say so"}`,
  `{"v":1,"uid":"not-this-one","step":"marked","since":"2026-01-01T00:00:00Z","because":"copied"}`,
  "{",
  "",
];

/** What users and operators may do to PVC retention. */
export const meddlings: Readonly<Record<string, Meddling>> = {
  "changes the policy": (stage) =>
    onSet(stage, ({ metadata }) => setPolicy(stage, metadata.name, pick(stage.random, [...policies, null, "Keep"]))),
  "changes the grace": (stage) =>
    onSet(stage, (set) => annotateSet(stage, set, { [graceKey]: pick(stage.random, ["20s", "2m", null, "later"]) })),
  "scales a set": (stage) => onSet(stage, ({ metadata }) => scale(stage, metadata.name, stage.random.below(4))),
  "deletes a set": (stage) => onSet(stage, ({ metadata }) => deleteSomehow(stage, metadata.name)),
  "strips our finalizer": (stage) =>
    onSet(stage, ({ metadata }) =>
      stage.attempt(`takes our finalizer off set ${metadata.name}`, (client, namespace) =>
        client.patch(StatefulSet, namespace, metadata.name, "strategic", {
          metadata: { "$deleteFromPrimitiveList/finalizers": [finalizer] },
        }),
      ),
    ),
  "strips our progress off a set": (stage) =>
    onSet(stage, (set) => annotateSet(stage, set, { [progressOf(pick(stage.random, rules))]: null })),
  "edits our progress on a set": (stage) =>
    onSet(stage, (set) =>
      annotateSet(stage, set, {
        [progressOf(pick(stage.random, ["project", "condemn"]))]: pick(stage.random, lies(set)),
      }),
    ),
  "edits our progress on a claim": (stage) =>
    onClaim(stage, (claim) =>
      annotateClaim(stage, claim, { [progressOf(pick(stage.random, rules))]: pick(stage.random, lies(claim)) }),
    ),
  "takes a mark away": (stage) => onClaim(stage, (claim) => annotateClaim(stage, claim, { [deleteAtKey]: null })),
  "moves a mark": (stage) =>
    onClaim(stage, (claim) => {
      const times = ["2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z", "tomorrow"];
      return annotateClaim(stage, claim, { [deleteAtKey]: pick(stage.random, times) });
    }),
  "takes the owners off a claim": (stage) =>
    onClaim(stage, ({ metadata }) => stage.patchClaim(metadata.name, { metadata: { ownerReferences: null } })),
  "changes the labels of a claim": (stage) =>
    onClaim(stage, ({ metadata }) => stage.patchClaim(metadata.name, { metadata: { labels: { app: "another" } } })),
  "gives a replica back by force": (stage) =>
    onSet(stage, ({ metadata }) => stage.deletePod(`${metadata.name}-${stage.random.below(2)}`, { force: true })),
};
