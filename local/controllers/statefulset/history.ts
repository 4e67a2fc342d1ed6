import { isAlreadyExists } from "../../../shared/kubernetes/api-error.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { ControllerRevision } from "../../../shared/kubernetes/kind.ts";
import { matchesLabelSelector } from "../../../shared/kubernetes/label-selector.ts";
import { guardedPatch } from "../guarded-patch.ts";
import { controllerReference, revisionLabel } from "./make-pod.ts";
import { controllerOf, isStillWanted, type Member } from "./pods.ts";
import { remembersSame, revisionData, revisionHash } from "./revision-data.ts";
import type { RevisionObject, SetObject } from "./set.ts";
import { adoption, type SetTools } from "./set-tools.ts";

/** Where a set's rollout comes from and where it goes. */
export interface Revisions {
  current: RevisionObject;
  update: RevisionObject;
  /** How often a revision's name was taken by another. */
  collisionCount: number;
}

/** The revisions of the set, and those without an owner, in their order; the latter are taken in. */
export async function gatherRevisions(tools: SetTools, set: SetObject): Promise<RevisionObject[]> {
  const revisions: RevisionObject[] = [];
  for (const revision of tools.revisions.list(set.metadata.namespace)) {
    const controller = controllerOf(revision);
    if (controller && controller.uid !== set.metadata.uid) continue;
    if (!matchesLabelSelector(set.spec.selector, revision.metadata.labels)) continue;
    revisions.push(revision);
    if (controller || isBeingDeleted(set) || !(await isStillWanted(tools, set))) continue;
    const { namespace, name } = revision.metadata;
    const patch = adoption(revision, controllerReference(set));
    await tools.client.patch(ControllerRevision, namespace, name, "strategic", patch);
  }
  return revisions.sort(byAge);
}

/**
 * Finds or makes the revision of the set's template: the latest if that is the same, an earlier one that becomes the
 * latest, or a new one. The current revision is the one of the set's status, until a rollout is complete.
 */
export async function resolveRevisions(
  tools: SetTools,
  set: SetObject,
  revisions: readonly RevisionObject[],
): Promise<Revisions> {
  const data = revisionData(set);
  const latest = revisions.at(-1);
  const equal = revisions.findLast((revision) => remembersSame(revision.data, data));
  const next = (latest?.revision ?? 0) + 1;
  let { collisionCount = 0 } = set.status ?? {};
  let update: RevisionObject;
  if (latest && equal && remembersSame(latest.data, equal.data)) update = latest;
  else if (equal) update = (await guardedPatch(tools.client, ControllerRevision, equal, { revision: next })) ?? equal;
  else ({ update, collisionCount } = await createRevision(tools, set, { data, revision: next }, collisionCount));
  const current = revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
  return { current, update, collisionCount };
}

async function createRevision(
  { client }: SetTools,
  set: SetObject,
  content: Pick<RevisionObject, "data" | "revision">,
  collisions: number,
): Promise<{ update: RevisionObject; collisionCount: number }> {
  const { namespace, annotations = {} } = set.metadata;
  const labels = {
    ...set.spec.template.metadata?.labels,
    "controller.kubernetes.io/hash": revisionHash(content.data, collisions),
  };
  for (let collisionCount = collisions; ; collisionCount++) {
    const name = `${set.metadata.name.slice(0, 223)}-${revisionHash(content.data, collisionCount)}`;
    const revision = {
      apiVersion: ControllerRevision.apiVersion,
      kind: ControllerRevision.kind,
      // The server sets what is missing.
      metadata: {
        name,
        namespace,
        labels,
        annotations,
        ownerReferences: [controllerReference(set)],
      } as unknown as RevisionObject["metadata"],
      ...content,
    };
    try {
      return { update: await client.create(ControllerRevision, revision), collisionCount };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const present = await client.get<RevisionObject>(ControllerRevision, namespace, name);
      if (!present) throw error;
      // The cache has not seen it yet.
      if (remembersSame(present.data, content.data)) return { update: present, collisionCount };
    }
  }
}

/** Deletes the oldest revisions that neither a pod nor the rollout needs, down to the set's limit. */
export async function truncateHistory(
  { client }: SetTools,
  set: SetObject,
  revisions: readonly RevisionObject[],
  { current, update }: Revisions,
  members: readonly Member[],
): Promise<void> {
  const live = new Set([current.metadata.name, update.metadata.name]);
  for (const { pod } of members) live.add(pod.metadata.labels?.[revisionLabel] ?? "");
  const history = revisions.filter(({ metadata }) => !live.has(metadata.name));
  const limit = set.spec.revisionHistoryLimit;
  if (limit < 0) return;
  for (const { metadata } of history.slice(0, Math.max(0, history.length - limit))) {
    await client.delete(ControllerRevision, metadata.namespace, metadata.name, { uid: metadata.uid });
  }
}

function byAge(left: RevisionObject, right: RevisionObject): number {
  const key = ({ metadata }: RevisionObject) => `${metadata.creationTimestamp} ${metadata.name}`;
  return left.revision - right.revision || (key(left) < key(right) ? -1 : 1);
}
