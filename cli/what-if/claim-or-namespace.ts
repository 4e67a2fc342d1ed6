import type { Client } from "../../shared/kubernetes/client.ts";
import { PersistentVolumeClaim, Pod } from "../../shared/kubernetes/kind.ts";
import { describe, type KubernetesObject, referenceTo } from "../../shared/kubernetes/object.ts";
import { offerGuard } from "../../shared/storage/volume.ts";
import { aboutFinalizer } from "../explain/finalizers.ts";
import type { FoundRules } from "../rules/ask-rules.ts";
import { predictClaims } from "./claims.ts";
import type { Prediction } from "./prediction.ts";

/** What the deletion of a claim takes. @throws ApiError */
export async function ifClaimDeleted(client: Client, claim: KubernetesObject, rules: FoundRules): Promise<Prediction> {
  const gaps: string[] = [];
  const fates = [{ claim, goes: true, message: "You delete it." }];
  const claims = await predictClaims(client, fates, { pods: [] }, rules, gaps);
  const owner = claim.metadata.ownerReferences?.find(({ controller }) => controller);
  const notes = owner ? [`${owner.kind} ${owner.name} controls it, and may create it again.`] : [];
  return { change: `Delete ${describe(referenceTo(claim))}`, claims, notes, gaps };
}

/** What the deletion of a namespace takes. @throws ApiError */
export async function ifNamespaceDeleted(
  client: Client,
  { metadata, ...namespace }: KubernetesObject,
  rules: FoundRules,
): Promise<Prediction> {
  const [notes, gaps]: [string[], string[]] = [[], []];
  const { name, finalizers = [] } = metadata;
  const all = await Array.fromAsync(client.list<KubernetesObject>(PersistentVolumeClaim, { namespace: name }));
  const pods = await Array.fromAsync(client.list<KubernetesObject>(Pod, { namespace: name, metadataOnly: true }));
  const fates = all.map((claim) => ({ claim, goes: true, message: "It goes with its namespace." }));
  const claims = await predictClaims(client, fates, { pods, namespace: name }, rules, gaps);
  for (const finalizer of finalizers)
    notes.push(
      finalizer === offerGuard
        ? "Volumes were offered in it: it goes when undelete-reserve has withdrawn them."
        : `${finalizer} holds the namespace: ${aboutFinalizer(finalizer).until}`,
    );
  return {
    change: `Delete ${describe(referenceTo({ metadata, ...namespace }))} with all that is in it`,
    claims,
    notes,
    gaps,
  };
}
