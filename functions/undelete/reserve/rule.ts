import * as z from "zod";
import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { addFinalizers, hasFinalizer, isBeingDeleted, removeFinalizer } from "../../../shared/kubernetes/finalizer.ts";
import { Event, Namespace, PersistentVolume, PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { on, rule } from "../../../shared/rule.ts";
import { type Claim, offerGuard as guard, type Volume } from "../../../shared/storage/volume.ts";
import type { Subject } from "../../../shared/subject.ts";
import { due, whileDeleting } from "../../../shared/sweep.ts";
import { namespaceLabel, noting, readNote } from "../lib/note.ts";
import { decideVolume, type Facts, freeVolumes } from "./decide.ts";

const settings = z.object({
  otherNamespace: z
    .enum(["ask", "always", "never"])
    .default("ask")
    .describe(
      "Whether a volume may go to a namespace of the same name that is another one: `ask`, " +
        "when somebody who may says so; " +
        "`always`; `never`.",
    ),
});

export const reserve = rule({
  ...noting,
  name: "undelete/reserve",
  doc: "Offers the volume of a deleted claim to a claim of the same name, and says until when it is kept.",
  settings,
  wakes: [on(PersistentVolumeClaim, ["delete"]), on(Namespace, ["add", "update", "delete"])],
  may: [
    { resource: PersistentVolume, verbs: ["get", "list", "patch"] },
    { resource: PersistentVolumeClaim, verbs: ["list"] },
    { resource: Namespace, verbs: ["get", "patch"] },
    { resource: Event, verbs: ["create", "get", "delete"] },
  ],
  sweep: [due(PersistentVolume), whileDeleting(Namespace, guard)],
  finalizers: [{ kind: Namespace, finalizer: guard }],
  concurrency: 100,
  subjects,
  look,
  decide,
});

/** One subject for each namespace, so that a thousand claims that go at once share a few lists. */
function subjects({ kind, change, namespace, name, object }: Hint): readonly Subject[] {
  if (kind === "Namespace") return [{ kind: Namespace, namespace: name }];
  if (kind === "PersistentVolume") return change === "sweep" ? [{ kind: PersistentVolume, name }] : [];
  if (kind !== "PersistentVolumeClaim" || !namespace || change !== "delete") return [];
  if (!object) return [{ kind: Namespace, namespace }];
  const volumeName = (object as Partial<Claim>).spec?.volumeName;
  return volumeName ? [{ kind: Namespace, namespace, members: [volumeName] }] : [];
}

async function look(subject: Subject, { client }: { readonly client: Client }): Promise<Facts | undefined> {
  const { name: pointedAt = "", namespace } = subject;
  const one = namespace === undefined ? await client.get<Volume>(PersistentVolume, undefined, pointedAt) : undefined;
  const name = namespace ?? (one && readNote(one)?.claim.namespace);
  if (name === undefined) return undefined;
  const before = await client.get(Namespace, undefined, name);
  const isEnding = before !== undefined && isBeingDeleted(before);
  const labelSelector = `${namespaceLabel}=${name}`;
  const volumes = await Array.fromAsync(client.list<Volume>(PersistentVolume, { labelSelector }));
  if (volumes.length === 0) return { namespace: before, isEnding, volumes, claims: new Map() };
  const claims = await Array.fromAsync(client.list<Claim>(PersistentVolumeClaim, { namespace: name }));
  const namespaceNow = await client.get(Namespace, undefined, name);
  const byName = new Map(claims.map((claim) => [claim.metadata.name, claim]));
  return { namespace: namespaceNow, isEnding, volumes, claims: byName };
}

function decide(
  facts: Facts | undefined,
  now: number,
  { otherNamespace }: z.output<typeof settings>,
): readonly Decision[] {
  if (!facts) return [];
  const { namespace, isEnding } = facts;
  const free = freeVolumes(facts);
  const decisions = free.map((one) => decideVolume(one, free, facts, now, otherNamespace));
  if (!namespace) return decisions;
  if (!isBeingDeleted(namespace)) return [...decisions, ...hold(namespace, decisions)];
  if (!isEnding || !hasFinalizer(namespace, guard)) return decisions;
  const because = `No volume is offered in namespace ${namespace.metadata.name} any more: ${guard} is removed.`;
  const last = about(Namespace, namespace).write(because, [removeFinalizer(Namespace, namespace, guard)], { order: 1 });
  return [...decisions, last];
}

/**
 * Holds the namespace before volumes are offered there, and looks again when it has been deleted meanwhile. It is held
 * from then on: who let it go, because no offer was seen, could not know of one that is under way.
 */
function hold(namespace: KubernetesObject, decisions: readonly Decision[]): readonly Decision[] {
  const { name, uid } = namespace.metadata;
  const offers = decisions.flatMap((decision) => (decision.do === "write" && decision.order === 1 ? decision : []));
  const { write } = about(Namespace, namespace);
  const added = `Namespace ${name} gets the finalizer ${guard}: a volume is offered there.`;
  const adding = offers.length > 0 && !hasFinalizer(namespace, guard);
  const checked = `Namespace ${name} is still the one in which volumes were offered.`;
  const isNew = offers.some(({ writes }) => writes.length > 0);
  const holds = (live: KubernetesObject | undefined) => live?.metadata.uid === uid && !isBeingDeleted(live);
  return [
    ...(adding ? [write(added, [addFinalizers(Namespace, namespace, [guard])])] : []),
    ...(isNew
      ? [write(checked, [], { provided: [{ kind: Namespace, namespace: undefined, name, holds }], order: 2 })]
      : []),
  ];
}
