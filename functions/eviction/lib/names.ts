import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { NovaComputeNode } from "./kinds.ts";

// What each of these names means on an object, and what follows if a person changes it: see ../written-names.ts.

export const computeFinalizer = "holdfast.dev/evict-compute";
export const agentFinalizer = "holdfast.dev/evict-agent";
/** The finalizer of what needs the L2 agent of its Node. */
export const finalizerOf = ({ kind }: { readonly kind: string }): string =>
  kind === NovaComputeNode.kind ? computeFinalizer : agentFinalizer;
/** Of a NeutronL2Agent or NeutronOVNAgent. */
export const l2Finalizer = "holdfast.dev/l2-agent";

/** Yaook's annotation that stops its operator, and Holdfast unless its value is the one below. */
export const pauseKey = "state.yaook.cloud/pause";
/** Yaook's operator pauses, and Holdfast does not: how a resource is handed over. */
export const handedOver = "holdfast";
/** Yaook's operators put it on what they keep themselves. */
export const yaookParent = "state.yaook.cloud/parent-plural";

/** The record of a NovaComputeNode's eviction. */
export const recordKey = "holdfast.dev/eviction";
/** The record of an agent's. */
export const movingKey = "holdfast.dev/agent-eviction";

export const approvalKey = "holdfast.dev/approve-eviction";
export const retryKey = "holdfast.dev/retry-eviction";
export const abandonKey = "holdfast.dev/abandon-compute";
export const fencedKey = "holdfast.dev/confirm-fenced";
/** Rules are triggered by its change. */
export const noticedKey = "holdfast.dev/l2-agent-label";

/** The command by which a person annotates a resource of this system, as messages write one: between backticks. */
export const annotating = ({ kind, metadata: { namespace, name } }: KubernetesObject, pair: string): string =>
  `\`kubectl annotate ${kind.toLowerCase()} -n ${namespace} ${name} ${pair}\``;
/** The one by which a person hands a resource over from Yaook's operator. */
export const handingOver = (object: KubernetesObject) => annotating(object, `--overwrite ${pauseKey}=${handedOver}`);
/** The one by which a person has tried again what could not be moved. */
export const retrying = (object: KubernetesObject) => annotating(object, `${retryKey}=true`);

/** How what Holdfast has disabled in OpenStack begins to say so: by it Holdfast knows it, also for a later resource. */
export const evicting = ({ kind, metadata: { namespace, name } }: KubernetesObject): string =>
  `Holdfast evicts ${kind} ${namespace}/${name}`;

/** Conditions as Yaook has them. */
export const conditions = {
  converged: "Converged",
  enabled: "Enabled",
  evicted: "Evicted",
  requiresRecreation: "RequiresRecreation",
  /** Holdfast's own, and the next. */
  hostDown: "HostDown",
  serversStuck: "ServersStuck",
} as const;

/** The reason of Evicted while only a person gets an eviction further. A column of `kubectl get` shows it. */
export const stuckReason = "Stuck";
