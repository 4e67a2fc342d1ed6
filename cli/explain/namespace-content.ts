import { ApiError } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { discover } from "../../shared/kubernetes/discover.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import { describe, type KubernetesObject, referenceTo } from "../../shared/kubernetes/object.ts";

/** An object that is left in a namespace. */
interface Left {
  readonly object: string;
  readonly finalizers: readonly string[];
  /** What would let it go. */
  readonly until: readonly string[];
  /** A person must act. */
  readonly isStuck: boolean;
  /** What could not be found out about it, in sentences. */
  readonly gaps: readonly string[];
}

/** What is left in a namespace that is being deleted. */
export interface Content {
  /** What Kubernetes says of it. */
  readonly conditions: readonly string[];
  /** Those that a finalizer holds, and the first of them explained. */
  readonly held: readonly Left[];
  /** How many more there are, which go when their controllers come to it. */
  readonly others: number;
  readonly gaps: readonly string[];
}

/** So many objects are explained, unless all are asked for; and of all, so many at once. */
const mostExplained = 20;

interface Terminating extends KubernetesObject {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

/** Says what would let an object go, a sentence or more for each of its finalizers. */
type UntilOf = (kind: Kind, object: KubernetesObject) => Promise<Pick<Left, "until" | "isStuck" | "gaps">>;

/**
 * All that is left in a namespace, of every kind that the cluster serves and the user may list; `all`: with all that
 * finalizers hold explained, however long that takes.
 */
export async function contentOf(
  namespace: Terminating,
  client: Client,
  untilOf: UntilOf,
  all: boolean,
): Promise<Content> {
  const gaps: string[] = [];
  const found: { readonly kind: Kind; readonly object: KubernetesObject }[] = [];
  const served = await discover(client, (path) => gaps.push(`${path} does not answer: what is left of its kinds?`));
  for (const kind of served) {
    const isListed = kind.namespaced && kind.preferred && ["list", "delete"].every((verb) => kind.verbs.includes(verb));
    if (!isListed || ["Event", "Endpoints", "EndpointSlice"].includes(kind.kind)) continue;
    try {
      const options = { namespace: namespace.metadata.name, metadataOnly: true };
      for await (const object of client.list<KubernetesObject>(kind, options)) found.push({ kind, object });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      gaps.push(`The ${kind.plural} in it could not be listed: ${error.message}`);
    }
  }
  const held = found.filter(({ object }) => object.metadata.finalizers?.length);
  const left: Left[] = [];
  for (let from = 0; from < (all ? held.length : Math.min(held.length, mostExplained)); from += mostExplained) {
    const next = held.slice(from, from + mostExplained);
    left.push(...(await Promise.all(next.map((one) => leftOf(one, client, untilOf)))));
  }
  const unexplained = held.slice(left.length).map(({ object }) => ({
    ...identity(object),
    until: [],
    isStuck: false,
    gaps: [],
  }));
  if (unexplained.length > 0)
    gaps.push(
      `What would let ${unexplained.length} of these ${held.length} objects go: only the first ${left.length} are ` +
        "explained. To have all of them explained, give --all.",
    );
  const { conditions = [] } = namespace.status ?? {};
  return {
    conditions: conditions.flatMap(({ status, message }) => (status === "True" && message ? [message] : [])),
    held: [...left, ...unexplained],
    others: found.length - held.length,
    gaps: [...new Set([...gaps, ...left.flatMap((one) => one.gaps)])],
  };
}

const identity = (object: KubernetesObject) => ({
  object: describe(referenceTo(object)),
  finalizers: object.metadata.finalizers ?? [],
});

async function leftOf(
  { kind, object: { metadata } }: { readonly kind: Kind; readonly object: KubernetesObject },
  client: Client,
  untilOf: UntilOf,
): Promise<Left> {
  const read = await client.get<KubernetesObject>(kind, metadata.namespace, metadata.name);
  const object = { metadata, ...read, apiVersion: kind.apiVersion, kind: kind.kind };
  return { ...identity(object), ...(await untilOf(kind, object)) };
}
