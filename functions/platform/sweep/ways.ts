import { isNotFound } from "../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";

/** What sends an event for each change. It sends none for what changes while it is away. */
export const ApiServerSource = {
  apiVersion: "sources.knative.dev/v1",
  kind: "ApiServerSource",
  plural: "apiserversources",
  namespaced: true,
} as const satisfies Kind;

/** What takes events from sources. It is Ready while its ingress, its filter and its channel are. */
export const Broker = {
  apiVersion: "eventing.knative.dev/v1",
  kind: "Broker",
  plural: "brokers",
  namespaced: true,
} as const satisfies Kind;

type WayObject = KubernetesObject & {
  status?: {
    observedGeneration?: number;
    conditions?: readonly { readonly type: string; readonly status: string; readonly lastTransitionTime?: string }[];
  };
};

/** A source or a broker: all that lies on the way of an event, besides the channels. */
export interface Way {
  /** `ApiServerSource workloads`. */
  readonly name: string;
  /** Since when it has been Ready, and with which generation of its spec; absent where it is not, or just became so. */
  readonly ready?: string;
}

/**
 * A source that is Ready may still begin to watch (milliseconds): what is resynced before it does would not be heard of
 * again.
 */
const begins = 20_000;

/**
 * The sources and brokers of a namespace; none where Knative's are not installed. Their conditions count, not their
 * pods: Knative replaces the pods of sources whenever a namespace comes or goes, and then no event is lost.
 *
 * @throws ApiError
 */
export async function lookAtWays(client: Client, namespace: string, now: number): Promise<readonly Way[]> {
  const lists = await Promise.all(
    [ApiServerSource, Broker].map(async (kind) => {
      try {
        const found = await Array.fromAsync(client.list<WayObject>(kind, { namespace }));
        return found.map((object) => wayOf(kind, object, now));
      } catch (error) {
        if (isNotFound(error)) return [];
        throw error;
      }
    }),
  );
  return lists.flat();
}

/** Without Knative: the one process that is source and broker. */
export const standIn = "platform-source";

/**
 * The same process as it is known without Knative. `times` (RFC 3339) is what it has said with its schedule;
 * anyone may have said others, so one that is not known counts before one that is.
 */
export function standInWay(times: readonly string[], known: KnownWays | undefined, now: number): Way {
  const name = standIn;
  const since = times.find((time) => time !== known?.[name]) ?? times[0];
  return since && isOver(since, now) ? { name, ready: since } : { name };
}

/** Whether what began then has had the time to watch. */
function isOver(since: string, now: number): boolean {
  const age = now - Date.parse(since);
  return age < 0 || age >= begins;
}

function wayOf({ kind }: Kind, { metadata, status }: WayObject, now: number): Way {
  const name = `${kind} ${metadata.name}`;
  const { generation = 0 } = metadata;
  const since = status?.conditions?.find(
    ({ type, status }) => type === "Ready" && status === "True",
  )?.lastTransitionTime;
  const isSettled = (status?.observedGeneration ?? generation) === generation;
  if (!since || !isSettled || !isOver(since, now)) return { name };
  return { name, ready: `${since} ${generation}` };
}

/** What a tick knows of the ways, by name. */
export type KnownWays = Readonly<Record<string, string>>;

/**
 * Which ways have become Ready since the tick before, and what to remember of all. One that is away stays as it was
 * remembered, so that it counts once, when it is back. Without `may` nothing counts, and a later tick makes up for it.
 */
export function comparedWays(
  before: KnownWays | undefined,
  ways: readonly Way[],
  may: boolean,
): { readonly back: readonly string[]; readonly known: KnownWays } {
  const isBack = ({ name, ready }: Way) => before !== undefined && ready !== undefined && before[name] !== ready;
  const known = ways.flatMap((way): [string, string][] => {
    const text = isBack(way) && !may ? before?.[way.name] : (way.ready ?? before?.[way.name]);
    return text === undefined ? [] : [[way.name, text]];
  });
  const back = may ? ways.filter(isBack).map(({ name }) => name) : [];
  return { back, known: Object.fromEntries(known) };
}
