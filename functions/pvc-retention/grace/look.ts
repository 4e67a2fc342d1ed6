import type { Client } from "../../../shared/kubernetes/client.ts";
import { PersistentVolumeClaim, Pod, StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { lookAtSet, type SetAndClaims } from "../../../shared/retention/look-at-set.ts";
import { deleteTime, type Mark, readMark } from "../../../shared/retention/mark.ts";
import type { StatefulSet } from "../../../shared/retention/stateful-set.ts";
import { originOf } from "../../../shared/retention/template-claims.ts";
import { claimsOf } from "../../../shared/storage/pod-claims.ts";

/** One claim that was marked, looked at so closely that it may be deleted. */
export interface MarkedClaim {
  /** Read first; metadata alone. */
  readonly claim: KubernetesObject;
  readonly mark: Mark;
  /** A pod of the namespace that names the claim, bound or not. Read after the claim. */
  readonly user: string | undefined;
  /** The set on whose behalf it was marked, with its claims; `undefined` when it is gone. Read after the pods. */
  readonly of: SetAndClaims | undefined;
  /** Where the set is gone: the sets of the namespace whose pods would use the claim, whatever its labels. */
  readonly heirs: readonly StatefulSet[];
}

/**
 * Reads a claim by its own name, and all that a verdict to delete it rests on; `undefined` when nobody has marked it. A claim that
 * changed while it was looked at is looked at again, because no further event may come for one whose time has come.
 */
export async function lookAtClaim(
  client: Client,
  namespace: string | undefined,
  name: string,
  looks = 3,
): Promise<MarkedClaim | undefined> {
  const claim = await client.get(PersistentVolumeClaim, namespace, name, { metadataOnly: true });
  const mark = claim && readMark(claim);
  if (!mark) return undefined;
  const mayGo = mark.step === "marked" && mark.cause !== "set-deleting" && Number.isFinite(deleteTime(claim));
  const user = mayGo ? await findUser(client, claim) : undefined;
  const of = await lookAtSet(client, namespace, mark.set, () => true);
  const again = of?.claims.find((one) => one.claim.metadata.uid === claim.metadata.uid)?.claim;
  if (looks > 1 && again && again.metadata.resourceVersion !== claim.metadata.resourceVersion)
    return lookAtClaim(client, namespace, name, looks - 1);
  const heirs = of ? [] : await setsThatYield(client, claim);
  return { claim, mark, user, of, heirs };
}

async function findUser(client: Client, claim: KubernetesObject): Promise<string | undefined> {
  const { namespace, name } = claim.metadata;
  for await (const pod of client.list(Pod, namespace ? { namespace } : {}))
    if (claimsOf(pod).some((use) => use.claim === name)) return pod.metadata.name;
  return undefined;
}

async function setsThatYield(client: Client, claim: KubernetesObject): Promise<readonly StatefulSet[]> {
  const { namespace } = claim.metadata;
  const heirs: StatefulSet[] = [];
  for await (const set of client.list<StatefulSet>(Sets, namespace ? { namespace } : {}))
    if (originOf(set, claim)) heirs.push(set);
  return heirs;
}
