import type { Client } from "../../../shared/kubernetes/client.ts";
import { Namespace, StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import { type Policy, readPolicy } from "../lib/policy.ts";
import type { StatefulSet } from "../lib/stateful-set.ts";

/** A set and the policy that its annotation, or that of its namespace, names. */
export interface SetAndPolicy {
  readonly set: StatefulSet;
  readonly policy: Policy | undefined;
}

/**
 * One set, or all of a namespace. The namespace is read after the sets: while a set is as it was read, which a guarded
 * write of it proves, both were so at the same time. In the other order, the namespace may be older than a set whose
 * own annotation was removed, and both together would give a policy that was never in force.
 */
export async function look(client: Client, namespace: string | undefined, name?: string): Promise<SetAndPolicy[]> {
  const sets: StatefulSet[] = [];
  if (name !== undefined) {
    const set = await client.get<StatefulSet>(Sets, namespace, name);
    if (set) sets.push(set);
  } else for await (const set of client.list<StatefulSet>(Sets, namespace ? { namespace } : {})) sets.push(set);
  if (sets.length === 0) return [];
  const home = namespace ? await client.get(Namespace, undefined, namespace, { metadataOnly: true }) : undefined;
  return sets.map((set) => ({ set, policy: readPolicy(set, home) }));
}
