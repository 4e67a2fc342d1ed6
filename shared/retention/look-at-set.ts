import { ApiError } from "../kubernetes/api-error.ts";
import type { Client } from "../kubernetes/client.ts";
import { Namespace, PersistentVolumeClaim, Pod, StatefulSet as Sets } from "../kubernetes/kind.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { graceKey, type Policy, policyKey, readPolicy } from "./policy.ts";
import { isInRange, podName, type StatefulSet } from "./stateful-set.ts";
import { areRivals, mayBeRivals, type Origin, originOf } from "./template-claims.ts";

/** A claim of one of a set's templates. */
export interface TemplateClaim {
  /** Metadata alone. */
  readonly claim: KubernetesObject;
  readonly template: string;
  readonly ordinal: number;
  /** Whether the set wants a pod of this ordinal, as it was read last. */
  readonly inRange: boolean;
  /** The pod of the set's naming scheme, whoever made it; metadata alone, `undefined` when there is none. */
  readonly pod: KubernetesObject | undefined;
  /** It has the name of a claim of the set, and not the labels: nothing is done to it but to undo. */
  readonly relabelled?: boolean;
  /** Another set of the namespace whose templates yield the same name: hands off. */
  readonly rival: string | undefined;
}

/** A set as it is, with all claims that its templates' names reach, also of ordinals that have no pod any more. */
export interface SetAndClaims {
  /** Read after everything else: no verdict rests on an older one. */
  readonly set: StatefulSet;
  /** `undefined` when neither the set nor its namespace names one. */
  readonly policy: Policy | undefined;
  readonly claims: readonly TemplateClaim[];
}

/** So many pods are read one by one before a list of the namespace is cheaper. */
const fewPods = 10;

/**
 * Reads a set and its claims. The order is what verdicts rest on: claims, then the pods that may use them, and at last the
 * namespace and the set, so that whoever scales up or changes the policy is seen unless it happens after the last read.
 * `undefined` when the set is gone, or another one of its name came meanwhile. A set that does not concern the rule costs two
 * small reads, and its claims are left out; so they are where none of them matters to it, which costs a list more.
 */
export async function lookAtSet(
  client: Client,
  namespace: string | undefined,
  name: string,
  concerns: (set: StatefulSet, policy: Policy | undefined) => boolean,
  matters: (claim: KubernetesObject, policy: Policy | undefined) => boolean = () => true,
): Promise<SetAndClaims | undefined> {
  const [first, before] = await readSet(client, namespace, name);
  if (!first) return undefined;
  if (!concerns(first, before)) return { set: first, policy: before, claims: [] };
  const scope = namespace ? { namespace } : {};
  const found: ({ claim: KubernetesObject } & Origin)[] = [];
  if (first.spec.volumeClaimTemplates?.length) {
    for await (const claim of client.list(PersistentVolumeClaim, { ...scope, metadataOnly: true })) {
      const origin = originOf(first, claim);
      if (origin) found.push({ claim, ...origin });
    }
  }
  if (found.length > 0 && !found.some(({ claim }) => matters(claim, before)))
    return { set: first, policy: before, claims: [] };
  const ordinals = new Set(found.map(({ ordinal }) => ordinal));
  const pods = await podsOf(client, first, ordinals);
  const rivals = found.length > 0 ? await rivalsOf(client, first) : [];
  const [set, policy] = await readAgain(client, namespace, first);
  if (!set) return undefined;
  const claims = found.map(
    (one): TemplateClaim => ({
      ...one,
      inRange: isInRange(set, one.ordinal),
      pod: pods.get(podName(set, one.ordinal)),
      rival: rivals.find((rival) => areRivals(set, rival, one.template))?.metadata.name,
    }),
  );
  return { set, policy, claims };
}

type SetAndPolicy = [StatefulSet, Policy | undefined] | [undefined, undefined];

/**
 * A set and the policy that is in force for it; no set, no policy. The namespace is read after the set: while the set is as it was read,
 * which a guarded write of it proves, both were so at the same time. Read the other way round, the namespace may say what it said before
 * the set stopped saying otherwise, and together they would say what nobody ever did.
 */
export async function readSet(client: Client, namespace: string | undefined, name: string): Promise<SetAndPolicy> {
  const set = await client.get<StatefulSet>(Sets, namespace, name);
  return set ? [set, readPolicy(set, await homeOf(client, namespace))] : [undefined, undefined];
}

/** So often a set that changes while it is looked at is read again. */
const patience = 5;

/**
 * The same for writes of others than the set: the namespace between two reads of a set that wants the same in both. Whoever first has the
 * namespace keep claims, and then scales down, is not taken for one who scaled down before.
 *
 * @throws ApiError 409 when the set is another one each time.
 */
async function readAgain(client: Client, namespace: string | undefined, first: StatefulSet): Promise<SetAndPolicy> {
  const { name, uid } = first.metadata;
  let before = first;
  for (let reads = 0; reads < patience; reads++) {
    const home = await homeOf(client, namespace);
    const set = await client.get<StatefulSet>(Sets, namespace, name);
    if (set?.metadata.uid !== uid) return [undefined, undefined];
    if (wantsTheSame(before, set)) return [set, readPolicy(set, home)];
    before = set;
  }
  const message = "somebody changes it again and again, and it will be looked at later";
  throw new ApiError(`Looking at StatefulSet ${name}`, { status: 409, reason: "Conflict", message });
}

const homeOf = (client: Client, namespace: string | undefined) =>
  namespace ? client.get(Namespace, undefined, namespace, { metadataOnly: true }) : undefined;

const wantsTheSame = ({ metadata: one }: StatefulSet, { metadata: other }: StatefulSet) =>
  one.generation === other.generation &&
  [policyKey, graceKey].every((key) => one.annotations?.[key] === other.annotations?.[key]);

/** Other sets of the namespace whose templates yield names that this set's yield as well. */
export async function rivalsOf(client: Client, set: StatefulSet): Promise<readonly StatefulSet[]> {
  const { namespace, name } = set.metadata;
  const scope = namespace ? { namespace } : {};
  const suspects: string[] = [];
  for await (const { metadata } of client.list(Sets, { ...scope, metadataOnly: true }))
    if (mayBeRivals(name, metadata.name)) suspects.push(metadata.name);
  const others = await Promise.all(suspects.map((suspect) => client.get<StatefulSet>(Sets, namespace, suspect)));
  return others.filter((other) => other !== undefined && areRivals(set, other)) as StatefulSet[];
}

/** By name: the pods that exist. */
async function podsOf(
  client: Client,
  set: StatefulSet,
  ordinals: ReadonlySet<number>,
): Promise<ReadonlyMap<string, KubernetesObject>> {
  const { namespace } = set.metadata;
  const names = new Set([...ordinals].map((ordinal) => podName(set, ordinal)));
  const pods: KubernetesObject[] = [];
  if (names.size <= fewPods) {
    const read = await Promise.all([...names].map((name) => client.get(Pod, namespace, name, { metadataOnly: true })));
    pods.push(...read.filter((pod) => pod !== undefined));
  } else {
    const scope = namespace ? { namespace } : {};
    for await (const pod of client.list(Pod, { ...scope, metadataOnly: true }))
      if (names.has(pod.metadata.name)) pods.push(pod);
  }
  return new Map(pods.map((pod) => [pod.metadata.name, pod]));
}
