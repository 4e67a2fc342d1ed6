import { createHash } from "node:crypto";
import { isAlreadyExists } from "../../../shared/kubernetes/api-error.ts";
import { ControllerRevision } from "../../../shared/kubernetes/kind.ts";
import { matchesLabelSelector } from "../../../shared/kubernetes/label-selector.ts";
import { sameJson } from "../../../shared/same-json.ts";
import { guardedPatch } from "../guarded-patch.ts";
import { controllerReference } from "./make-pod.ts";
import { controllerOf } from "./pods.ts";
import type { RevisionObject, SetObject } from "./set.ts";
import type { SetTools } from "./set-tools.ts";

/** Where a set's rollout comes from and where it goes. */
export interface Revisions {
  current: RevisionObject;
  update: RevisionObject;
}

/**
 * Finds or makes the revision of the set's template: the latest if that is the same, an earlier one that becomes the
 * latest, or a new one. The current revision is the one of the set's status, until a rollout is complete.
 */
export async function resolveRevisions(tools: SetTools, set: SetObject): Promise<Revisions> {
  const revisions = revisionsOf(tools, set);
  const data = revisionData(set);
  const latest = revisions.at(-1);
  const equal = revisions.findLast((revision) => sameJson(revision.data, data));
  const next = (latest?.revision ?? 0) + 1;
  let update: RevisionObject;
  if (latest && equal && sameJson(latest.data, equal.data)) update = latest;
  else if (equal) update = (await guardedPatch(tools.client, ControllerRevision, equal, { revision: next })) ?? equal;
  else update = await createRevision(tools, set, { data, revision: next });
  const current = revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
  return { current, update };
}

/** The revisions of the set, and those without an owner that have its labels, in their order. */
function revisionsOf({ revisions }: SetTools, { metadata, spec }: SetObject): RevisionObject[] {
  const isOwn = (revision: RevisionObject) => (controllerOf(revision)?.uid ?? metadata.uid) === metadata.uid;
  return revisions
    .list(metadata.namespace)
    .filter((revision) => isOwn(revision) && matchesLabelSelector(spec.selector, revision.metadata.labels))
    .sort(byAge);
}

async function createRevision(
  { client }: SetTools,
  set: SetObject,
  content: Pick<RevisionObject, "data" | "revision">,
): Promise<RevisionObject> {
  const { namespace, annotations = {} } = set.metadata;
  const hash = createHash("sha256").update(JSON.stringify(content.data)).digest("hex").slice(0, 10);
  const name = `${set.metadata.name.slice(0, 223)}-${hash}`;
  const labels = { ...set.spec.template.metadata?.labels, "controller.kubernetes.io/hash": hash };
  const ownerReferences = [controllerReference(set)];
  try {
    return await client.create(ControllerRevision, {
      apiVersion: ControllerRevision.apiVersion,
      kind: ControllerRevision.kind,
      // The server sets what is missing.
      metadata: { name, namespace, labels, annotations, ownerReferences } as unknown as RevisionObject["metadata"],
      ...content,
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    // The cache has not seen it yet.
    const present = await client.get<RevisionObject>(ControllerRevision, namespace, name);
    if (!present || !sameJson(present.data, content.data)) throw error;
    return present;
  }
}

function byAge(left: RevisionObject, right: RevisionObject): number {
  const key = ({ metadata }: RevisionObject) => `${metadata.creationTimestamp} ${metadata.name}`;
  return left.revision - right.revision || (key(left) < key(right) ? -1 : 1);
}

/** What a revision remembers of a set: a patch that brings its template back. */
const revisionData = ({ spec }: SetObject) => ({ spec: { template: { ...spec.template, $patch: "replace" } } });

/** The template that a revision remembers. */
export function templateOf({ data }: RevisionObject): SetObject["spec"]["template"] {
  const { $patch: _, ...template } = data.spec.template as SetObject["spec"]["template"] & { $patch?: string };
  return template;
}
