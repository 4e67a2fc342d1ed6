import * as z from "zod";
import type { Hint } from "../../../shared/event/hint.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Event, Namespace, PersistentVolumeClaim, Pod, StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject, OwnerReference } from "../../../shared/kubernetes/object.ts";
import { on, rule } from "../../../shared/rule.ts";
import { silent } from "../../../shared/steps.ts";
import type { Subject } from "../../../shared/subject.ts";
import { due, labelled } from "../../../shared/sweep.ts";
import { checkLabel } from "../lib/check-label.ts";
import type { StatefulSet } from "../lib/stateful-set.ts";
import { setsNamedBy } from "../lib/template-claims.ts";
import { decide } from "./decide.ts";
import { look } from "./look.ts";
import { hasNote, hasPolicy, isFollowed, name, userOf } from "./notes.ts";
import { isOurs, untie } from "./references.ts";

export const setOwner = rule({
  name,
  doc:
    "Sets the owner of a set's claims without a pod, as Kubernetes' own controller does for claims with a pod: " +
    "the set, if they are to be deleted with it and it has used them; otherwise none.",
  settings: z.object({}),
  triggers: [on(Sets, ["add", "update"])],
  permissions: [
    {
      resource: Sets,
      verbs: ["get", "patch"],
      writes: { labels: [checkLabel] },
      why: "to read the policy of the StatefulSet, and to note on it how far its claims follow that policy",
    },
    { resource: Namespace, verbs: ["get"], why: "to see that the namespace does not say that claims are kept" },
    {
      resource: PersistentVolumeClaim,
      verbs: ["list", "patch"],
      why: "to find the claims of the StatefulSet, and to set or remove it as their owner",
      writes: { ownerReferences: [Sets.kind] },
      bounds: [
        {
          on: ["patch"],
          says: "ties a claim to the StatefulSet in its name",
          cel:
            "variables.ownerReferences.all(e, e in variables.ownerReferencesBefore || " +
            'object.metadata.name.matches("-[0-9]+$") && object.metadata.name' +
            '.substring(0, object.metadata.name.lastIndexOf("-")).endsWith("-" + e.name))',
        },
      ],
    },
    { resource: Pod, verbs: ["list"], why: "to see which claims a pod uses: those are left to Kubernetes" },
    {
      resource: Event,
      verbs: ["create", "get", "delete"],
      why: "to record on a claim why it stays when the StatefulSet goes, and to delete that Event",
    },
  ],
  // For this rule alone: another would only find that nothing has changed.
  sweep: [due(Sets), { ...labelled(Sets, checkLabel), alone: true }],
  steps: { used: silent, changing: silent, followed: silent },
  leavesBehind: [
    {
      kind: PersistentVolumeClaim,
      isOn: (claim) => tieOf(claim) !== undefined,
      what: `PersistentVolumeClaims that ${name} has tied to their StatefulSets`,
      effect: "Kubernetes deletes each of them when its StatefulSet is deleted.",
      undo: (claim) => {
        const reference = tieOf(claim);
        return reference && untie(claim, reference);
      },
    },
  ],
  subjects,
  look: ({ namespace, name = "" }, { client }) => look(client, namespace, name),
  decide,
});

function subjects({ kind, change, namespace, name, object }: Hint): readonly Subject[] {
  // No event of a claim comes. Who asks why a claim stays is answered by the look at its set.
  if (kind === "PersistentVolumeClaim" && change !== "delete" && namespace)
    return setsNamedBy(name).map((name) => ({ kind: Sets, namespace, name }));
  if (kind !== "StatefulSet" || change === "delete" || !namespace) return [];
  const isSettled = object && (isBeingDeleted(object) || isFollowed(object as StatefulSet));
  return isSettled && !(change === "update" && mayBeReplaced(object)) ? [] : [{ kind: Sets, namespace, name }];
}

/**
 * Whether a set without anything of ours may be one that a tool has just replaced, with the field that Holdfast had
 * written: Kubernetes has not seen its spec yet.
 */
function mayBeReplaced(object: KubernetesObject): boolean {
  const { metadata, spec, status } = object as StatefulSet & {
    readonly status?: { readonly observedGeneration?: number };
  };
  if (isBeingDeleted(object) || hasPolicy(object) || hasNote(object) || !spec?.volumeClaimTemplates?.length)
    return false;
  return metadata.generation !== status?.observedGeneration;
}

/** The reference by which this rule has tied a claim to a set. Where the note was removed, its form says it. */
function tieOf(claim: KubernetesObject): OwnerReference | undefined {
  const set = userOf(claim);
  const [, stem = ""] = /^(.+)-[0-9]+$/.exec(claim.metadata.name) ?? [];
  const isInName = ({ apiVersion, kind, name }: OwnerReference) =>
    apiVersion === Sets.apiVersion && kind === Sets.kind && stem.endsWith(`-${name}`);
  return claim.metadata.ownerReferences?.find(
    (reference) => isOurs(reference) && (reference.uid === set || (reference.controller && isInName(reference))),
  );
}
