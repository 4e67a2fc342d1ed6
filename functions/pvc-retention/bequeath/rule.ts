import * as z from "zod";
import type { Hint } from "../../../shared/event/hint.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import {
  ControllerRevision,
  Event,
  Namespace,
  PersistentVolumeClaim,
  Pod,
  StatefulSet,
} from "../../../shared/kubernetes/kind.ts";
import { deletingRule } from "../../../shared/retention/cascade.ts";
import { lookAtSet } from "../../../shared/retention/look-at-set.ts";
import { readMark } from "../../../shared/retention/mark.ts";
import { hasTraces, retentionFinalizer } from "../../../shared/retention/traces.ts";
import { on, rule, type Subject } from "../../../shared/rule.ts";
import { decide, type Facts } from "./decide.ts";
import { isSettled, isWanted } from "./decide-alive.ts";
import { readEvidence } from "./evidence.ts";

export const bequeath = rule({
  name: deletingRule,
  doc: "Holds a set that is being deleted until it is certain what becomes of its claims: they go with it, or they are kept.",
  settings: z.object({}),
  wakes: [on(StatefulSet, ["add", "update"]), on(PersistentVolumeClaim, ["update"])],
  may: [
    { resource: StatefulSet, verbs: ["get", "list", "patch"] },
    { resource: Namespace, verbs: ["get"] },
    { resource: PersistentVolumeClaim, verbs: ["get", "list", "patch"] },
    { resource: PersistentVolumeClaim, verbs: ["delete"], overlay: "owner-references-enforced" },
    { resource: Pod, verbs: ["get", "list"] },
    { resource: ControllerRevision, verbs: ["list"] },
    { resource: Event, verbs: ["create", "get", "delete"] },
  ],
  sweep: [{ kind: StatefulSet, when: { deletingWith: retentionFinalizer } }],
  concurrency: 100,
  subjects,
  look: async (subject, { client }) => {
    const set = subject.kind.kind === "StatefulSet" ? subject.name : await setOfClaim(client, subject);
    return set === undefined ? undefined : look(client, subject.namespace, set);
  },
  decide,
});

function subjects({ kind, change, namespace, name, object }: Hint): readonly Subject[] {
  if (!namespace || change === "delete") return [];
  if (kind === "StatefulSet")
    return !object || (hasTraces(object) && !isSettled(object)) ? [{ kind: StatefulSet, namespace, name }] : [];
  if (kind !== "PersistentVolumeClaim") return [];
  if (!object) return [{ kind: PersistentVolumeClaim, namespace, name }];
  // A set with a grace is let go when the last of its claims is marked.
  const mark = readMark(object);
  return mark?.cause === "set-deleted" ? [{ kind: StatefulSet, namespace, name: mark.set }] : [];
}

async function setOfClaim(client: Client, { namespace, name = "" }: Subject): Promise<string | undefined> {
  const claim = await client.get(PersistentVolumeClaim, namespace, name, { metadataOnly: true });
  return claim && readMark(claim)?.set;
}

async function look(client: Client, namespace: string | undefined, name: string): Promise<Facts> {
  const held = await lookAtSet(
    client,
    namespace,
    name,
    (set, policy) => hasFinalizer(set, retentionFinalizer) && (isBeingDeleted(set) || !isWanted(set, policy)),
  );
  if (!held || !isBeingDeleted(held.set) || !hasFinalizer(held.set, retentionFinalizer)) return held;
  return { ...held, evidence: await readEvidence(client, held.set) };
}
