import { isAgreed, limitsOf } from "../../../shared/budget/limits.ts";
import { minute } from "../../../shared/duration.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { conditionOf } from "../../../shared/kubernetes/condition.ts";
import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Node, Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { progressKey, readProgress } from "../../../shared/progress.ts";
import type { Subject } from "../../../shared/subject.ts";
import { findPod, type PodObject } from "./agent-pod.ts";
import { kindOf } from "./kinds.ts";
import {
  abandonKey,
  annotating,
  approvalKey,
  conditions,
  finalizerOf,
  handedOver,
  handingOver,
  movingKey,
  noticedKey,
  pauseKey,
  recordKey,
  yaookParent,
} from "./names.ts";
import { maintenanceOf } from "./node-lock.ts";
import type { DependentObject } from "./schema.ts";
import type { Common } from "./settings.ts";

/** A resource that needs the L2 agent of its Node, with what Kubernetes has of it, read live. */
export interface Dependent {
  readonly object: DependentObject;
  /** `undefined` when the Node is gone. */
  readonly node: KubernetesObject | undefined;
  /** Its pods on the Node, whether they run or go. */
  readonly pods: readonly PodObject[];
  /** Why its pod cannot come, as a sentence: another one has its name. */
  readonly inTheWay: string | undefined;
  /** What is to become of it, whether or not a person has agreed. */
  readonly wanted: Wanted;
  /** A person has agreed, or need not agree. */
  readonly isApproved: boolean;
  /** Why Holdfast does not manage it, as a sentence: it is paused, or another operator does. */
  readonly unmanaged: string | undefined;
}

/**
 * - `stay`: it serves
 * - `disable`: its host gets no new servers
 * - `clear`: its servers leave as well
 * - `go`: they leave, and then its pods and its lock: it is being deleted, or its L2 agent has to go
 */
export type Wanted = "stay" | "disable" | "clear" | "go";

export function wantedOf(object: DependentObject, node: KubernetesObject | undefined): Wanted {
  if (isBeingDeleted(object) || (node && maintenanceOf(node) === "True")) return "go";
  const wanted = { Enabled: "stay", Disabled: "disable", DisabledAndCleared: "clear" } as const;
  return wanted[object.spec.state ?? "Enabled"];
}

/** Why Holdfast leaves a resource of Yaook's kinds alone, as a sentence; `undefined` where it does not. */
export function whyUnmanaged(object: KubernetesObject): string | undefined {
  const { labels, annotations } = object.metadata;
  const title = `${object.kind} ${object.metadata.name}`;
  const paused = annotations?.[pauseKey];
  const isYaooks = labels?.[yaookParent] !== undefined;
  if (paused === handedOver || (paused === undefined && !isYaooks)) return undefined;
  if (!isYaooks) return `${title} is paused. To go on, run ${annotating(object, `${pauseKey}-`)}`;
  const why =
    paused === undefined
      ? "is managed by Yaook's operator, and two programs must not evict one node"
      : `is paused. Do not remove the annotation ${pauseKey}: Yaook's operator would act on it again`;
  return `${title} ${why}. To hand it over to Holdfast, set spec.selector, and then run ${handingOver(object)}`;
}

/**
 * It is to go without an agreement, has no pod, and nothing shows that it ever served: before a pod can come, keep-pod
 * writes the condition Enabled. One that was restored without its status looks so, too: OpenStack is asked about it.
 */
export function seemsUnused({ object, pods, inTheWay, wanted, isApproved }: Dependent): boolean {
  const hasServed =
    conditionOf(object, conditions.enabled) !== undefined ||
    hasBegun(object) ||
    Object.keys(object.metadata.annotations ?? {}).some((key) => key.startsWith(progressKey("eviction/enable-")));
  return wanted === "go" && !isApproved && pods.length === 0 && !inTheWay && !hasServed;
}

/** Whether one of these hosts may be the Node under another name: with its domain, or without. */
export const mayBeNamed = (hosts: readonly { readonly host: string }[], { metadata }: KubernetesObject): boolean =>
  hosts.some(({ host }) => firstOf(host) === firstOf(metadata.name));
const firstOf = (name: string) => name.toLowerCase().split(".")[0];

/** Whether a person agrees that what the resource stands for leaves its Node, or no one has to. */
export const isApproved = ({ metadata }: KubernetesObject, settings: Common): boolean =>
  isAgreed(metadata.annotations?.[approvalKey], limitsOf("eviction", settings));

/** The resource of this kind and name, where there is one, with its Node and its pods. @throws ApiError */
export async function findDependent(
  { kind, namespace = "", name = "" }: Subject,
  { client, settings }: { readonly client: Client; readonly settings: Common },
): Promise<readonly Dependent[]> {
  if (namespace !== settings.agentNamespace) return [];
  const object = await client.get<DependentObject>(kind, namespace, name);
  if (!object) return [];
  const [node, { pods, inTheWay }] = await Promise.all([client.get(Node, undefined, name), podsOf(object, client)]);
  const seen = { object, node, pods, inTheWay, wanted: wantedOf(object, node) };
  return [{ ...seen, isApproved: isApproved(object, settings), unmanaged: whyUnmanaged(object) }];
}

async function podsOf(object: DependentObject, client: Client): Promise<Pick<Dependent, "pods" | "inTheWay">> {
  const { namespace = "", name } = object.metadata;
  const { selector } = object.spec;
  if (!selector) {
    const { pod, inTheWay } = await findPod(object, client);
    return { pods: pod ? [pod] : [], inTheWay };
  }
  const found: PodObject[] = [];
  const labels = Object.entries(selector.matchLabels).map((pair) => pair.join("="));
  const options = { namespace, labelSelector: labels.join(","), fieldSelector: `spec.nodeName=${name}` };
  for await (const pod of client.list<PodObject>(Pod, options)) found.push(pod);
  return { pods: found, inTheWay: undefined };
}

/** Whether it says that its agent gets servers, or serves. */
export const isEnabled = (object: Pick<DependentObject, "status">): boolean =>
  conditionOf(object, conditions.enabled)?.status === "True";

/**
 * It says that it serves, and of no outage; nothing of an eviction is left, nor of its having been given up; and the
 * rule of this name, which enables it, need not look again. A hint.
 */
export const serves = (object: KubernetesObject & Pick<DependentObject, "status">, enabler: string): boolean =>
  isEnabled(object) &&
  readProgress(object, enabler)?.step !== "settling" &&
  [undefined, "True"].includes(conditionOf(object, conditions.converged)?.status) &&
  [recordKey, movingKey, abandonKey].every((key) => object.metadata.annotations?.[key] === undefined);

/** So long a call to OpenStack may still be carried out, and what was on its way may still come. */
export const lateFor = 10 * minute;

/**
 * How a rule leaves what serves again: with another look where its eviction has only just ended, because a call that
 * was given up may disable it later. `now` is in milliseconds since the epoch.
 */
export function settling(object: KubernetesObject, ruleName: string, now: number) {
  const { step = "", next = "" } = readProgress(object, ruleName) ?? {};
  const isOver = hasBegun(object) || ["called", "away"].includes(step);
  const until = step === "settling" ? Date.parse(next) : isOver ? now + lateFor : 0;
  return until > now ? { step: { name: "settling" }, next: until } : {};
}

/** An eviction has begun. */
const hasBegun = ({ metadata }: KubernetesObject): boolean =>
  [recordKey, movingKey].some((key) => metadata.annotations?.[key] !== undefined);

/**
 * Takes annotations off, as far as they are there: an eviction is over, or what a person has said of one. An agreement
 * is used up with it; what holds the next one stays.
 */
export function forget(object: KubernetesObject, keys: readonly string[]): readonly Write[] {
  const { annotations = {} } = object.metadata;
  const left = keys.filter(
    (key) => annotations[key] !== undefined && (key !== approvalKey || annotations[key] === "true"),
  );
  return left.length > 0 ? [annotate(kindOf(object), object, Object.fromEntries(left.map((key) => [key, null])))] : [];
}

/** What a person writes to agree. */
export const agreement = ({ metadata }: KubernetesObject): string =>
  `${metadata.annotations?.[approvalKey] === undefined ? "" : "--overwrite "}${approvalKey}=true`;

/** Whether an event shows a resource that leaves, or has begun to. A hint. */
export function isLeaving(object: KubernetesObject): boolean {
  const { metadata, spec } = object as DependentObject;
  const { state = "Enabled" } = spec ?? {};
  const isAsked = state !== "Enabled" || metadata.annotations?.[noticedKey] === "True";
  return isAsked || isBeingDeleted(object) || hasBegun(object);
}

/** Facts of what OpenStack knows no `agent` of, unless a person has given it up; `look`: where a person looks. */
export function unknownTo<Given extends object>(
  service: "Nova" | "Neutron",
  agent: string,
  look: string,
  object: KubernetesObject,
  given: Given,
) {
  const { name, annotations } = object.metadata;
  if (annotations?.[abandonKey] === name) return { is: "abandoned", ...given } as const;
  const message =
    `${service} knows no ${agent} on the host ${name}, so Holdfast does not know what is there. Check that the host ` +
    `has no other name in ${service}, and that ${look}. Only if ${service} never knew it, or a person deleted it, ` +
    "give it up. Holdfast then counts it as empty, and may remove its pod and its lock. To give it up, run " +
    annotating(object, `${abandonKey}=${name}`);
  return { is: "halted", message } as const;
}

/** Facts of a resource that is not Holdfast's to evict. */
export function outsideOf({ object, unmanaged }: Dependent) {
  if (unmanaged) return { is: "outside", message: unmanaged, undecided: true } as const;
  if (!isBeingDeleted(object) || hasFinalizer(object, finalizerOf(object))) return undefined;
  const message = `${object.kind} ${object.metadata.name} is being deleted, and has no finalizer of Holdfast.`;
  return { is: "outside", message } as const;
}

/** What a person is asked before a resource is evicted; `then` says what comes of it. */
export function approvalWanted({ object }: Dependent, then: string): string {
  const why = isBeingDeleted(object)
    ? `The ${object.kind} is being deleted`
    : object.spec.state === "DisabledAndCleared"
      ? `The state of the ${object.kind} is DisabledAndCleared`
      : `The L2 or OVN agent of Node ${object.metadata.name} has to go`;
  return `${why}: ${then} when you agree. To agree, run ${annotating(object, agreement(object))}`;
}
