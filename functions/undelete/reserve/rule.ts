import * as z from "zod";
import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { hasFinalizer, isBeingDeleted, removeFinalizer } from "../../../shared/kubernetes/finalizer.ts";
import { Event, Namespace, PersistentVolume, PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { on, rule } from "../../../shared/rule.ts";
import { type Claim, offerGuard as guard, isBound, type Volume } from "../../../shared/storage/volume.ts";
import type { Subject } from "../../../shared/subject.ts";
import { due, whileDeleting } from "../../../shared/sweep.ts";
import { namespaceLabel, readNote } from "../lib/note.ts";
import { decideVolume, type Facts } from "./decide.ts";

const settings = z.object({
  otherNamespace: z
    .enum(["ask", "always", "never"])
    .default("ask")
    .describe(
      "Whether a volume may go to a namespace of the same name that is another one: `ask`, when somebody who may says so; " +
        "`always`; `never`.",
    ),
});

export const reserve = rule({
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
  const volume = (object as Partial<Claim> | undefined)?.spec?.volumeName;
  if (!object) return [{ kind: Namespace, namespace }];
  return volume ? [{ kind: Namespace, namespace, members: [volume] }] : [];
}

async function look(subject: Subject, { client }: { readonly client: Client }): Promise<Facts | undefined> {
  const { name = "", namespace, members } = subject;
  if (namespace !== undefined) return lookAt(client, namespace, members);
  const volume = await client.get<Volume>(PersistentVolume, undefined, name);
  const note = volume && readNote(volume);
  return note && lookAt(client, note.claim.namespace, [name]);
}

async function lookAt(client: Client, name: string, members?: readonly string[]): Promise<Facts | undefined> {
  const labelSelector = `${namespaceLabel}=${name}`;
  const before = await client.get(Namespace, undefined, name);
  const volumes = await Array.fromAsync(client.list<Volume>(PersistentVolume, { labelSelector }));
  const claims = new Map<string, Claim>();
  if (volumes.length > 0)
    for await (const claim of client.list<Claim>(PersistentVolumeClaim, { namespace: name }))
      claims.set(claim.metadata.name, claim);
  const namespace = await client.get(Namespace, undefined, name);
  const isEnding = before !== undefined && isBeingDeleted(before);
  return { namespace, isEnding, volumes, claims, ...(members ? { members } : {}) };
}

function decide(
  facts: Facts | undefined,
  now: number,
  { otherNamespace }: z.output<typeof settings>,
): readonly Decision[] {
  if (!facts) return [];
  const { namespace, volumes, claims, members } = facts;
  const free = volumes.filter((volume) => {
    const claim = claims.get(volume.spec.claimRef?.name ?? "");
    // Bound by now, or about to be: what is to be noted of that, retain notes.
    const isTaken = volume.spec.claimRef?.uid !== undefined && volume.spec.claimRef.uid === claim?.metadata.uid;
    return readNote(volume) && !isBound(volume, claim) && !isTaken && !isBeingDeleted(volume);
  });
  // With a volume come those of the same name, of which one is offered.
  const names = free.filter(({ metadata }) => !members || members.includes(metadata.name)).map(nameOf);
  const asked = free.filter((volume) => names.includes(nameOf(volume)));
  const decisions = asked.flatMap((volume) => decideVolume(volume, free, facts, now, otherNamespace) ?? []);
  if (!namespace || members || !hasFinalizer(namespace, guard)) return decisions;
  return release(facts, namespace, decisions);
}

const nameOf = ({ spec }: Volume) => spec.claimRef?.name;

/** Lets a namespace go in the same breath as its last offer is withdrawn, or forgets about it when nothing is offered there. */
function release(facts: Facts, namespace: KubernetesObject, decisions: readonly Decision[]): readonly Decision[] {
  const isOffered = ({ spec }: Volume) => spec.claimRef !== undefined && spec.claimRef.uid === undefined;
  if (facts.isEnding ? !isBeingDeleted(namespace) : decisions.length > 0 || facts.volumes.some(isOffered))
    return decisions;
  const last = removeFinalizer(Namespace, namespace, guard);
  const because = `No volume is offered in namespace ${namespace.metadata.name} any more: ${guard} is removed.`;
  const writes = [...decisions.flatMap((decision) => (decision.do === "write" ? decision.writes : [])), last];
  // What is said of each volume goes without its write, which is one with the namespace's.
  const recorded = decisions.flatMap((decision) => (decision.do === "write" ? [{ ...decision, writes: [] }] : []));
  return [...recorded, about(Namespace, namespace).write(because, writes)];
}
