import { StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { pick } from "../../harness/faults/api.ts";
import type { User } from "../user.ts";
import { type Operation, onClaim } from "../workload.ts";
import { progressOf } from "./history.ts";
import { deleteSomehow, patchSet, policies, scale, setPolicy } from "./scenarios/sets.ts";

const rules = ["sync-policy", "set-owner"];

async function onSet(user: User, act: (set: KubernetesObject) => Promise<unknown>): Promise<void> {
  const sets = await user.list(StatefulSet);
  if (sets.length > 0) await act(pick(user.random, sets));
}

const annotateSet = (user: User, { metadata }: KubernetesObject, annotations: Record<string, string | null>) =>
  patchSet(user, metadata.name, `annotates ${JSON.stringify(annotations)}`, { metadata: { annotations } });

/** What a user might write where our progress stands. */
const lies = ({ metadata }: KubernetesObject) => [
  `{"v":1,"uid":"${metadata.uid}","step":"in-force","since":"yesterday","because":"I say so"}`,
  `{"v":1,"uid":"not-this-one","step":"used","since":"2026-01-01T00:00:00Z","because":"copied"}`,
  "{",
  "",
];

/** What users and operators may do to PVC retention. */
export const workload: Readonly<Record<string, Operation>> = {
  "changes the policy": (user) =>
    onSet(user, ({ metadata }) => setPolicy(user, metadata.name, pick(user.random, [...policies, null, "Keep"]))),
  "scales a set": (user) => onSet(user, ({ metadata }) => scale(user, metadata.name, user.random.below(4))),
  "deletes a set": (user) => onSet(user, ({ metadata }) => deleteSomehow(user, metadata.name)),
  "takes our progress off a set": (user) =>
    onSet(user, (set) => annotateSet(user, set, { [progressOf(pick(user.random, rules))]: null })),
  "edits our progress on a set": (user) =>
    onSet(user, (set) =>
      annotateSet(user, set, { [progressOf(pick(user.random, rules))]: pick(user.random, lies(set)) }),
    ),
  "edits our progress on a claim": (user) =>
    onClaim(user, (claim) =>
      user.patchClaim(claim.metadata.name, {
        metadata: { annotations: { [progressOf("set-owner")]: pick(user.random, lies(claim)) } },
      }),
    ),
  "takes the owners off a claim": (user) =>
    onClaim(user, ({ metadata }) => user.patchClaim(metadata.name, { metadata: { ownerReferences: null } })),
  "changes the labels of a claim": (user) =>
    onClaim(user, ({ metadata }) => user.patchClaim(metadata.name, { metadata: { labels: { app: "another" } } })),
  "deletes a replica by force": (user) =>
    onSet(user, ({ metadata }) => user.deletePod(`${metadata.name}-${user.random.below(2)}`, { force: true })),
};
