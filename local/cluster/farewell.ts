import { policyKey, projectingRule } from "../../functions/pvc-retention/lib/policy.ts";
import { retentionOf, type StatefulSet as StatefulSetLike } from "../../functions/pvc-retention/lib/stateful-set.ts";
import { isConflict } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { hasFinalizer, removeFinalizer } from "../../shared/kubernetes/finalizer.ts";
import { type Kind, Namespace, PersistentVolumeClaim, StatefulSet } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { send } from "../../shared/kubernetes/write.ts";
import { progressKey } from "../../shared/progress.ts";
import { holdfastProtection } from "../../shared/storage/protection.ts";
import { offerGuard } from "../../shared/storage/volume.ts";

/** A finalizer of ours, on what it is put, and the progress of the rule that takes it off again. */
interface Hold {
  readonly kind: Kind;
  /** What people call such an object. */
  readonly word: string;
  readonly finalizer: string;
  readonly progress: string;
}

const holds: readonly Hold[] = [
  {
    kind: PersistentVolumeClaim,
    word: "claim",
    finalizer: holdfastProtection,
    progress: progressKey("pvc-protection/release"),
  },
  { kind: Namespace, word: "namespace", finalizer: offerGuard, progress: progressKey("undelete/reserve") },
];

/** An object that carries a finalizer of ours: without the functions nobody would ever let it go. */
export interface Held {
  readonly hold: Hold;
  readonly object: KubernetesObject;
}

/** What carries a finalizer of ours, in one namespace or in all. */
export async function heldObjects(client: Client, namespace?: string): Promise<Held[]> {
  const held: Held[] = [];
  for (const hold of holds) {
    const options = { ...(namespace ? { namespace } : {}), metadataOnly: true };
    for await (const object of client.list(hold.kind, options))
      if (
        hasFinalizer(object, hold.finalizer) &&
        (hold.kind.namespaced || (namespace ?? object.metadata.name) === object.metadata.name)
      )
        held.push({ hold, object });
  }
  return held;
}

/** Takes our finalizer and annotation off objects; what else holds one that is being deleted goes on holding it. */
export async function letGo(client: Client, held: readonly Held[]): Promise<void> {
  for (const { hold, object } of held) await letOneGo(client, hold, object.metadata);
}

async function letOneGo(
  client: Client,
  { kind, finalizer, progress }: Hold,
  { namespace, name }: KubernetesObject["metadata"],
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const object = await client.get<KubernetesObject>(kind, namespace, name, { metadataOnly: true });
    if (!object || !hasFinalizer(object, finalizer)) return;
    try {
      return await send(client, removeFinalizer(kind, object, finalizer, [progress]));
    } catch (error) {
      // Somebody else wrote the object in this moment.
      if (!isConflict(error) || attempt === 5) throw error;
    }
  }
}

/**
 * In a few sentences: the sets whose claims Kubernetes itself goes on deleting, by a field that nobody puts back any
 * more.
 */
export async function describeProjected(client: Client): Promise<readonly string[]> {
  const sets: KubernetesObject[] = [];
  for await (const set of client.list<StatefulSetLike>(StatefulSet)) {
    const { whenDeleted, whenScaled } = retentionOf(set);
    const deletes = whenDeleted === "Delete" || whenScaled === "Delete";
    if (deletes && set.metadata.annotations?.[progressKey(projectingRule)]) sets.push(set);
  }
  if (sets.length === 0) return [];
  const subject = sets.length === 1 ? "One set keeps" : `${sets.length} sets keep`;
  return [
    `${subject} the persistentVolumeClaimRetentionPolicy that project has written: ${someOf(sets)}. ` +
      "Kubernetes goes on deleting claims by it. To have it put back, run this again, and take the annotation " +
      `${policyKey} away while it runs.`,
  ];
}

/** In a sentence or two for each finalizer: what carries it, at least one object, and what that means. */
export function describeHeld(held: readonly Held[]): readonly string[] {
  return [...Map.groupBy(held, ({ hold }) => hold)].map(([{ word, finalizer }, ofIt]) => {
    const count = ofIt.length === 1 ? `One ${word} carries` : `${ofIt.length} ${word}s carry`;
    return (
      `${count} the finalizer ${finalizer} now: ${someOf(ofIt.map(({ object }) => object))}. ` +
      `Without the functions such a ${word} never goes when it is deleted.`
    );
  });
}

function someOf(objects: readonly KubernetesObject[]): string {
  const few = objects.slice(0, 5).map(({ metadata }) => [metadata.namespace, metadata.name].filter(Boolean).join("/"));
  return few.join(", ") + (objects.length > few.length ? ` and ${objects.length - few.length} more` : "");
}
