import type { Client } from "../../../shared/kubernetes/client.ts";
import { Namespace, StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import { readSet, rivalsOf } from "../../../shared/retention/look-at-set.ts";
import { type Policy, readPolicy } from "../../../shared/retention/policy.ts";
import type { StatefulSet } from "../../../shared/retention/stateful-set.ts";
import { areRivals, mayBeRivals } from "../../../shared/retention/template-claims.ts";
import { hasTraces } from "../../../shared/retention/traces.ts";

/** A set with its policy, and the other sets of its namespace whose templates yield the same claim names. */
export interface SetAndRivals {
  readonly set: StatefulSet;
  readonly policy: Policy | undefined;
  readonly rivals: readonly StatefulSet[];
}

/** One set. Where neither a policy nor a trace speaks of it, two small reads. */
export async function lookAtOne(
  client: Client,
  namespace: string | undefined,
  name: string,
): Promise<readonly SetAndRivals[]> {
  const [set, policy] = await readSet(client, namespace, name);
  if (!set || !(policy || hasTraces(set))) return [];
  const rivals = policy ? await rivalsOf(client, set) : [];
  return [{ set, policy, rivals }];
}

/** The sets of a namespace: those of these names and those that may be their rivals, or all. */
export async function lookAtNamespace(
  client: Client,
  namespace: string | undefined,
  members: readonly string[] | undefined,
): Promise<readonly SetAndRivals[]> {
  const sets: StatefulSet[] = [];
  for await (const set of client.list<StatefulSet>(Sets, namespace ? { namespace } : {})) sets.push(set);
  // After the sets, as for a single one: writes are guarded by what was read of them.
  const home = namespace ? await client.get(Namespace, undefined, namespace, { metadataOnly: true }) : undefined;
  const concerned = ({ metadata }: StatefulSet) =>
    !members || members.some((name) => name === metadata.name || mayBeRivals(name, metadata.name));
  return sets
    .filter(concerned)
    .map((set) => ({ set, policy: readPolicy(set, home), rivals: sets.filter((other) => areRivals(set, other)) }))
    .filter(({ set, policy }) => policy || hasTraces(set));
}
