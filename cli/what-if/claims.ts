import type { ClaimFate } from "../../functions/pvc-retention/lib/claims-after.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { Namespace, PersistentVolume, PersistentVolumeClaim, Pod } from "../../shared/kubernetes/kind.ts";
import { describe, type KubernetesObject, referenceTo } from "../../shared/kubernetes/object.ts";
import { claimsOf, uses } from "../../shared/storage/pod-claims.ts";
import { inTreeProtection } from "../../shared/storage/protection.ts";
import { asIf, type Changed, changedTo } from "../cluster/as-if.ts";
import { readOrNote } from "../cluster/read-or-note.ts";
import { aboutFinalizer } from "../explain/finalizers.ts";
import { askingWith, type FoundRules } from "../rules/ask-rules.ts";
import type { PredictedClaim } from "./prediction.ts";
import { fateOf, volumeOf } from "./volume-fate.ts";

/** What goes along with the claims: the pods that end by themselves, and the namespace. */
interface Along {
  readonly pods: readonly KubernetesObject[];
  readonly namespace?: string;
}

/** What becomes of claims and of the volumes behind them. @throws ApiError */
export async function predictClaims(
  client: Client,
  fates: readonly ClaimFate[],
  along: Along,
  rules: FoundRules,
  gaps: string[],
): Promise<readonly PredictedClaim[]> {
  const going = fates.filter(({ goes }) => goes).map(({ claim }) => claim);
  const changes: Changed[] = going.map(({ metadata: { namespace, name } }) => ({
    kind: PersistentVolumeClaim,
    namespace,
    name,
  }));
  if (along.namespace) changes.push({ kind: Namespace, name: along.namespace });
  const volumes = new Map<KubernetesObject, Awaited<ReturnType<typeof volumeOf>>>();
  for (const claim of going) volumes.set(claim, await volumeOf(client, claim, gaps));
  // As they are when their claims have gone.
  const released = [...volumes.values()].flatMap((volume) =>
    volume ? changedTo(PersistentVolume, { ...volume, status: { ...volume.status, phase: "Released" } }) : [],
  );
  const asking = askingWith(asIf(client, [...changes, ...released]));
  const predicted: PredictedClaim[] = [];
  for (const { claim, goes, message } of fates) {
    const volume = volumes.get(claim);
    predicted.push({
      claim: describe(referenceTo(claim)),
      goes,
      because: message,
      waitsFor: goes ? await waitsFor(client, claim, along, rules, gaps) : [],
      ...(volume ? { volume: await fateOf(volume, rules, asking, gaps) } : {}),
    });
  }
  return predicted;
}

/** The pods that use a claim and do not go by themselves, and the finalizers that others must take off. */
async function waitsFor(
  client: Client,
  claim: KubernetesObject,
  along: Along,
  { all }: FoundRules,
  gaps: string[],
): Promise<readonly string[]> {
  const { namespace = "", finalizers = [] } = claim.metadata;
  const leaving = new Set(along.pods.map(({ metadata }) => metadata.uid));
  const users: string[] = [];
  await readOrNote(gaps, `Which pods use claim ${claim.metadata.name}`, async () => {
    for await (const pod of client.list(Pod, { namespace }))
      if (
        !leaving.has(pod.metadata.uid) &&
        !along.namespace &&
        claimsOf(pod).some((use) => uses(pod, use, claim, "strict"))
      )
        users.push(`Pod ${pod.metadata.name} uses it: it goes when that pod is gone.`);
  });
  const known = new Set([
    inTreeProtection,
    ...all.flatMap(({ finalizers = [] }) => finalizers.map((own) => own.finalizer)),
  ]);
  const others = finalizers.filter((finalizer) => !known.has(finalizer));
  return [...users, ...others.map((finalizer) => `${finalizer} holds it: ${aboutFinalizer(finalizer).until}`)];
}
