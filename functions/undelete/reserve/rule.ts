import * as z from "zod";
import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import { held } from "../../../shared/held.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Event, Namespace, PersistentVolume, PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { on, rule } from "../../../shared/rule.ts";
import { newerProgress } from "../../../shared/steps.ts";
import { type Claim, offerGuard as guard, type Volume } from "../../../shared/storage/volume.ts";
import type { Subject } from "../../../shared/subject.ts";
import { due, whileDeleting } from "../../../shared/sweep.ts";
import {
  lostNote,
  type Note,
  namespaceLabel,
  noteBounds,
  noteWrites,
  noting,
  readNote,
  stopAtNewerNote,
} from "../lib/note.ts";
import { boundByController, decideAll, type Facts } from "./decide.ts";

const settings = z.object({
  otherNamespace: z
    .enum(["ask", "always", "never"])
    .default("never")
    .describe(
      "Whether a new namespace of the same name gets the volumes of the former one. `never`: only where an " +
        "administrator allows it on the volume. `ask`: also where the new namespace names the uid of the former one, " +
        "which is no secret. `always`: without a permission.",
    ),
});

export const reserve = rule({
  ...noting,
  name: "undelete/reserve",
  doc: "Offers the volume of a deleted claim to a claim of the same name, and says until when it is kept.",
  settings,
  triggers: [on(PersistentVolume, ["update"]), on(Namespace, ["add", "update", "delete"])],
  permissions: [
    {
      resource: PersistentVolume,
      verbs: ["get", "list", "patch"],
      why: "to find the kept volumes of a namespace, and to offer them to claims or withdraw the offers",
      writes: {
        ...noteWrites,
        annotations: [...noteWrites.annotations, boundByController],
        fields: ["spec.persistentVolumeReclaimPolicy", "spec.claimRef.uid", "spec.claimRef.resourceVersion"],
      },
      bounds: [
        ...noteBounds,
        {
          on: ["patch"],
          says: "removes the resourceVersion of a reservation",
          cel:
            'object.spec.?claimRef.?resourceVersion.orValue("") == "" || ' +
            'object.spec.?claimRef.?resourceVersion.orValue("") == ' +
            'oldObject.spec.?claimRef.?resourceVersion.orValue("")',
        },
      ],
    },
    {
      resource: PersistentVolumeClaim,
      verbs: ["list"],
      why: "to see which claims of the namespace have a volume, or may take one",
    },
    {
      resource: Namespace,
      verbs: ["get", "patch"],
      writes: { finalizers: [guard] },
      why: "to hold a namespace that is being deleted until the offers in it are withdrawn",
    },
    {
      resource: Event,
      verbs: ["create", "get", "delete"],
      why: "to record on the volume that it is offered and until when, and to delete that Event",
    },
  ],
  sweep: [due(PersistentVolume), whileDeleting(Namespace, guard)],
  finalizers: [{ kind: Namespace, finalizer: guard }],
  leavesBehind: [
    {
      kind: PersistentVolume,
      isOn: (object) => offerOf(object as Volume) !== undefined,
      what: "PersistentVolumes that undelete/reserve has offered",
      effect:
        "The next claim of their namespace and name is bound to them, also where another namespace of that name has " +
        "come meanwhile.",
      undo: (object) => {
        const note = offerOf(object as Volume);
        return note && withdraw(object as Volume, note);
      },
    },
  ],
  concurrency: 100,
  subjects,
  look,
  decide: (facts, now, { otherNamespace }) => {
    if (!facts) return [];
    const decisions = decideAll(facts, now, otherNamespace);
    const stopped = stopAtOffers(facts);
    return stopped ? [...decisions, stopped] : held(Namespace, facts.namespace, guard, decisions, isOffer);
  },
});

/** The note of a volume that is offered; where the note was overwritten, what the labels say in its place. */
function offerOf(volume: Volume): Note | undefined {
  const note = readNote(volume);
  if (!note) return lostNote(volume);
  return note.step === "offered" && volume.spec.claimRef && volume.spec.claimRef.uid === undefined ? note : undefined;
}

/** Makes an offered volume Released again: it is kept, and no claim is bound to it. */
function withdraw({ metadata }: Volume, { claim }: Note): Write {
  const { name, uid, resourceVersion } = metadata;
  const patch = {
    metadata: { uid, resourceVersion },
    spec: { persistentVolumeReclaimPolicy: "Retain", claimRef: { uid: claim.uid } },
  };
  return { verb: "patch", kind: PersistentVolume, namespace: undefined, name, type: "merge", patch };
}

/**
 * What holds a namespace that is being deleted: an offer whose note only a newer version can read is not withdrawn, and
 * the next namespace of that name would get the data.
 */
function stopAtOffers({ namespace, volumes }: Facts): Decision | undefined {
  if (!namespace || !isBeingDeleted(namespace) || !hasFinalizer(namespace, guard)) return undefined;
  const offered = volumes.filter((one) => stopAtNewerNote(one) && one.spec.claimRef?.uid === undefined);
  if (offered.length === 0) return undefined;
  const message =
    `Namespace ${namespace.metadata.name} is held, because volumes are still offered to its claims, and a version of ` +
    "Holdfast that is newer than the next one wrote their notes. Roll the functions of undelete forward again: then " +
    `they withdraw these offers. The volumes are: ${offered.map(({ metadata }) => metadata.name).join(", ")}.`;
  return about(Namespace, namespace).stop(message, { event: newerProgress });
}

const isOffer = (decision: Decision) =>
  decision.do === "write" && typeof decision.step === "object" && decision.step.name === "offered";

/**
 * One subject for each namespace, so that a thousand volumes that are released at once share a few lists. It
 * decides about every change of a noted volume.
 */
function subjects({ kind, name, object }: Hint): readonly Subject[] {
  if (kind === "Namespace") return [{ kind: Namespace, namespace: name }];
  if (kind !== "PersistentVolume") return [];
  if (!object) return [{ kind: PersistentVolume, name }];
  const namespace = homeOf(object as Volume);
  if (namespace === undefined) return [];
  // A list of the namespace's volumes does not find one that has lost its label.
  const isListed = object.metadata.labels?.[namespaceLabel] === namespace;
  return isListed ? [{ kind: Namespace, namespace, members: [name] }] : [{ kind: PersistentVolume, name }];
}

/** The namespace of the claim that a volume is noted for, also where its note was overwritten. */
const homeOf = (volume: Volume) => readNote(volume)?.claim.namespace ?? volume.metadata.labels?.[namespaceLabel];

async function look(subject: Subject, { client }: { readonly client: Client }): Promise<Facts | undefined> {
  const { name: pointedAt = "", namespace } = subject;
  const one = namespace === undefined ? await client.get<Volume>(PersistentVolume, undefined, pointedAt) : undefined;
  const name = namespace ?? (one && homeOf(one));
  if (name === undefined) return undefined;
  // First: a run that offers a volume after this read finds that the namespace has changed.
  const home = await client.get(Namespace, undefined, name);
  const labelSelector = `${namespaceLabel}=${name}`;
  const listed = await Array.fromAsync(client.list<Volume>(PersistentVolume, { labelSelector }));
  // Read after the namespace, as those of the list.
  const isMissing = one && !listed.some(({ metadata }) => metadata.name === pointedAt);
  const other = isMissing ? await client.get<Volume>(PersistentVolume, undefined, pointedAt) : undefined;
  const volumes = other && homeOf(other) === name ? [...listed, other] : listed;
  if (home && isBeingDeleted(home) && volumes.length > 0) {
    // If it is gone meanwhile, what the volumes say may be newer: a permission, or the offer that followed it.
    const again = await client.get(Namespace, undefined, name);
    if (again?.metadata.uid !== home.metadata.uid) return look(subject, { client });
  }
  const claims = new Map<string, Claim>();
  if (volumes.length > 0)
    for await (const claim of client.list<Claim>(PersistentVolumeClaim, { namespace: name }))
      claims.set(claim.metadata.name, claim);
  return { namespace: home, volumes, claims };
}
