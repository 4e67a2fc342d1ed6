import { z } from "zod";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { isOwnDamaged } from "../../../shared/kubernetes/damaged-annotation.ts";
import { Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readOwnAnnotation } from "../../../shared/kubernetes/read-annotation.ts";
import { replaceAnnotation } from "../../../shared/kubernetes/replace-annotation.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import type { Subject } from "../../../shared/subject.ts";
import { hasEnded, type PodObject } from "./agent-pod.ts";
import { type Dependent, findDependent } from "./dependent.ts";
import { NovaComputeNode } from "./kinds.ts";
import { annotating, handingOver, recordKey } from "./names.ts";
import type { Common } from "./settings.ts";

const time = z.iso.datetime();
const count = z.number().int().min(0);
/**
 * When Nova was asked; the newest migration by then; since when it has been asked without any effect; how often it has
 * refused; and whether it has refused the last time. Of an evacuation also whether Nova has said that it takes it.
 */
const call = z.looseObject({
  ...{ at: time, after: count, since: time.optional() },
  ...{ refused: count.optional(), denied: z.literal(true).optional() },
  evacuation: z.enum(["asked", "answered"]).optional(),
});
const schema = z.looseObject({
  v: z.number().int().min(1).max(2),
  uid: z.string(),
  begun: time,
  /** The id of nova-compute in Nova: another cloud may have a host of the same name. */
  service: z.string().optional(),
  /** The newest migration away from the host when the eviction began, or `noMoves`: those after it are its own. */
  baseline: count,
  /** The newest when a person asked to try again: failures before it do not count. */
  retried: count.optional(),
  /** Since when both witnesses have said that the host is down, and what they said: when they last said otherwise. */
  down: z.object({ since: time, reported: z.string(), ready: z.string() }).optional(),
  /** When Ironic was last asked to turn the host off, and when it has last agreed to. */
  shutdown: time.optional(),
  accepted: time.optional(),
  /** When Holdfast last forced nova-compute down: servers are evacuated, and nova-compute must not run. */
  hard: time.optional(),
  /** Since when Nova refuses to: it has been asked again since, without a note of when. */
  refused: time.optional(),
  /** When Nova was seen to hold it down, and what it said then of the last report: each change of a service is one. */
  forced: z.object({ at: time, reported: z.string() }).optional(),
  /** What servers were before their first evacuation, by their ids, until they have been put back to it. */
  was: z.record(z.string(), z.string()).optional(),
  /** Since when the host has been seen empty. */
  empty: time.optional(),
  /** The newest migration when Nova was last asked to move a server cold, by its id, until such a move is over. */
  cold: z.record(z.string(), count).optional(),
  /** What Nova was last asked about a server, by its id. */
  called: z.record(z.string(), call).optional(),
});

export type EvictionRecord = z.output<typeof schema>;
export type Call = z.output<typeof call>;

/** The baseline while no eviction has begun: of a host that is only disabled no move is Holdfast's. */
export const noMoves = Number.MAX_SAFE_INTEGER;

/** That its servers leave has begun. */
export const isClearing = (record: EvictionRecord | undefined) => record !== undefined && record.baseline !== noMoves;

/** Its servers are to leave, and that has not begun. */
export const begins = ({ wanted, record }: ComputeNode): boolean => wanted !== "disable" && !isClearing(record);

/** It is to stay; or its servers were to leave, and are not any more: by its state, or because no one agrees. */
export const isCalledOff = ({ wanted, isApproved, record }: ComputeNode): boolean =>
  wanted === "stay" || (isClearing(record) && (wanted === "disable" || !isApproved));

/** The record of this very object; one that was copied from another object counts as none. */
export const readRecord = (object: KubernetesObject): EvictionRecord | undefined =>
  readOwnAnnotation(object, recordKey, schema);

/** Why nothing is done about a host, as a sentence: its record is damaged, and no longer says what Nova was asked. */
export const damageOf = (object: KubernetesObject): string | undefined =>
  isOwnDamaged(object, recordKey, schema)
    ? `The annotation ${recordKey} of NovaComputeNode ${object.metadata.name} is damaged, so Holdfast does not ` +
      `know what it has asked Nova. Restore the value of the annotation. If you cannot, ${startingOver(object)}`
    : undefined;

/** How a person lets an eviction begin again without the record of what Nova was asked. */
export const startingOver = (object: KubernetesObject): string =>
  "do these steps. 1: wait ten minutes. 2: make sure in Nova that no server of the host is being moved or evacuated. " +
  "3: only if the disabled reason of nova-compute names Holdfast, run `openstack --os-compute-api-version 2.53 " +
  `compute service set --enable --up ${object.metadata.name} nova-compute\`. If Nova refuses it due to evacuations, ` +
  `run it again after step 4, when nova-compute has started. 4: run ${annotating(object, `${recordKey}-`)}`;

/** The record with changes; and other annotations, null removes. */
export const noted = (
  { object }: Pick<ComputeNode, "object">,
  record: EvictionRecord,
  more: Record<string, null> = {},
): Write => annotate(NovaComputeNode, object, { [recordKey]: JSON.stringify(record), ...more });

/** The change of a record, to be made only where its text is still `from`: as it was looked at, or was `noted`. */
export const replaceRecord = ({ object }: Pick<ComputeNode, "object">, from: string, to: EvictionRecord): Write =>
  replaceAnnotation(NovaComputeNode, object, recordKey, from, JSON.stringify(to));

/** A NovaComputeNode with what Kubernetes has of it, read live. */
export interface ComputeNode extends Dependent {
  readonly record: EvictionRecord | undefined;
}

/** The NovaComputeNode that is meant, where there is one, with its Node and its pods. @throws ApiError */
export async function findComputeNode(
  subject: Subject,
  view: { readonly client: Client; readonly settings: Common },
): Promise<readonly ComputeNode[]> {
  const found = await findDependent(subject, view);
  return found.map((one) => ({ ...one, record: readRecord(one.object) }));
}

/** Why something else evicts the host now, as a sentence: the pods of Yaook's own job. @throws ApiError */
export async function evictedByYaook({ object }: ComputeNode, client: Client): Promise<string | undefined> {
  const { namespace = "", name } = object.metadata;
  for await (const pod of client.list<PodObject>(Pod, { namespace, labelSelector: "app=compute-evict" }))
    if (pod.metadata.name.startsWith(`compute-evict-${name}-`) && !hasEnded(pod))
      return (
        `The pod ${pod.metadata.name} of Yaook's own eviction runs, and two programs must not evict one host. Wait ` +
        `until this pod has ended. Or first run ${handingOver(object)}, and then delete the Job of the pod.`
      );
  return undefined;
}
