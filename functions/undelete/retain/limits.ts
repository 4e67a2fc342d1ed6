import { isForbidden } from "../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { PersistentVolume, ResourceQuota } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { quantityValue } from "../../../shared/kubernetes/quantity.ts";
import type { Volume } from "../../../shared/storage/volume.ts";
import { keptBytes } from "../lib/kept-bytes.ts";
import { namespaceLabel } from "../lib/note.ts";
import { keepKey } from "../lib/scope.ts";
import type { Settings } from "./settings.ts";

interface Quota extends KubernetesObject {
  readonly spec?: {
    readonly hard?: Readonly<Record<string, string>>;
    readonly scopes?: readonly string[];
    readonly scopeSelector?: object;
  };
}

/** One limit on what is kept after deleted claims of a namespace. */
export interface Limit {
  /** It holds for volumes of this class; absent: for all. */
  readonly storageClass?: string;
  /** Bytes that may be kept. */
  readonly most: number;
  /** What sets it, as the end of a sentence. */
  readonly setBy: string;
  /** What a person does to raise it. */
  readonly raise: string;
}

/** A limit that has been reached, with the bytes that are kept. */
export type Reached = Limit & { readonly kept: number };

/** The volumes that are noted for claims of one namespace, and what limits how much of them is kept. */
export interface Room {
  readonly noted: readonly Volume[];
  readonly limits: readonly Limit[];
}

const forClass = ".storageclass.storage.k8s.io/requests.storage";

/**
 * Reads what limits a namespace. With `MOST_KEPT=quota`, these are its ResourceQuotas of `requests.storage`, for all
 * classes or for one: a namespace without one has no limit on claims that live either. A quota of 0 is no limit: no
 * claim can be created there, so nothing piles up. A quota with scopes does not count every claim, and is no limit.
 */
export async function readRoom(client: Client, namespace: string, { mostKept }: Settings): Promise<Room> {
  const limits = mostKept === "quota" ? await readQuotas(client, namespace) : limitOf(mostKept);
  if (limits.length === 0) return { noted: [], limits };
  const labelSelector = `${namespaceLabel}=${namespace}`;
  return { noted: await Array.fromAsync(client.list<Volume>(PersistentVolume, { labelSelector })), limits };
}

function limitOf(mostKept: string): readonly Limit[] {
  if (mostKept === "none") return [];
  const setBy = `MOST_KEPT of undelete-retain is ${mostKept}`;
  return [{ most: quantityValue(mostKept), setBy, raise: "raise MOST_KEPT" }];
}

/** Where the function may not list quotas, because its role is of an older version, nothing limits what is kept. */
async function readQuotas(client: Client, namespace: string): Promise<readonly Limit[]> {
  const limits: Limit[] = [];
  const quotas = await Array.fromAsync(client.list<Quota>(ResourceQuota, { namespace })).catch((error) => {
    if (isForbidden(error)) return [];
    throw error;
  });
  for (const { metadata, spec = {} } of quotas) {
    if (spec.scopes?.length || spec.scopeSelector) continue;
    for (const [resource, hard] of Object.entries(spec.hard ?? {})) {
      const most = quantityValue(hard);
      const storageClass = resource.endsWith(forClass) ? resource.slice(0, -forClass.length) : undefined;
      if (!(most > 0) || (resource !== "requests.storage" && storageClass === undefined)) continue;
      const setBy = `its ResourceQuota ${metadata.name} allows ${hard} of ${resource} (MOST_KEPT=quota)`;
      const exempt = `annotate the namespace with ${keepKey} and a time such as 24h`;
      const raise = `raise this quota, have an administrator ${exempt}`;
      limits.push({ ...(storageClass === undefined ? {} : { storageClass }), most, setBy, raise });
    }
  }
  return limits;
}

/** The first limit of a volume that its namespace has reached. */
export function reachedLimit({ spec }: Volume, { noted, limits }: Room): Reached | undefined {
  for (const limit of limits) {
    const isOfClass = (other: Volume["spec"]) =>
      limit.storageClass === undefined || other.storageClassName === limit.storageClass;
    if (!isOfClass(spec)) continue;
    const kept = noted.reduce((sum, volume) => sum + (isOfClass(volume.spec) ? keptBytes(volume) : 0), 0);
    if (kept >= limit.most) return { ...limit, kept };
  }
  return undefined;
}
