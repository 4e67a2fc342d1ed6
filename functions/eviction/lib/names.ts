import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { NovaComputeNode } from "./kinds.ts";

/** Holds a NovaComputeNode until its servers have moved away and its lock is off the Node. */
export const computeFinalizer = "holdfast.dev/evict-compute";
/** Holds an agent of Neutron until what it served is served by others, and its lock is off the Node. */
export const agentFinalizer = "holdfast.dev/evict-agent";
/** The finalizer of what needs the L2 agent of its Node. */
export const finalizerOf = ({ kind }: { readonly kind: string }): string =>
  kind === NovaComputeNode.kind ? computeFinalizer : agentFinalizer;
/** Holds a NeutronL2Agent or NeutronOVNAgent until no agent on its Node needs it. */
export const l2Finalizer = "holdfast.dev/l2-agent";

/** Yaook's annotation that stops its operator, and Holdfast unless its value is the one below. */
export const pauseKey = "state.yaook.cloud/pause";
/** Yaook's operator pauses, and Holdfast does not: how a resource is handed over. */
export const handedOver = "holdfast";
/** Yaook's operators put it on what they keep themselves. */
export const yaookParent = "state.yaook.cloud/parent-plural";

/** Annotation of a NovaComputeNode: what neither Nova nor Kubernetes can tell of its eviction, which has begun. */
export const recordKey = "holdfast.dev/eviction";
/** Annotation of an agent: its eviction has begun, and what is between two agents, which Neutron forgets. */
export const movingKey = "holdfast.dev/agent-eviction";

/** Annotation: a person agrees to the present eviction of a compute node or an agent, or that an L2 agent goes. */
export const approvalKey = "holdfast.dev/approve-eviction";
/** Annotation: servers, or what an agent serves, that could not be moved are tried again. */
export const retryKey = "holdfast.dev/retry-eviction";
/** Annotation of a NovaComputeNode: a person says that nova-compute of this host, which Nova does not know, is gone. */
export const abandonKey = "holdfast.dev/abandon-compute";
/** Annotation of a NovaComputeNode: a person says that its host is off, which is down since the time in the value. */
export const fencedKey = "holdfast.dev/confirm-fenced";
/** Annotation of what needs the L2 agent: what the label of its Node said last. Rules are triggered by its change. */
export const noticedKey = "holdfast.dev/l2-agent-label";

/** The command by which a person annotates a resource of this system. */
export const annotating = ({ kind, metadata: { namespace, name } }: KubernetesObject, pair: string): string =>
  `kubectl annotate ${kind.toLowerCase()} -n ${namespace} ${name} ${pair}`;

/** Conditions as Yaook has them. */
export const conditions = {
  converged: "Converged",
  enabled: "Enabled",
  evicted: "Evicted",
  requiresRecreation: "RequiresRecreation",
  /** Holdfast's own. */
  hostDown: "HostDown",
} as const;
