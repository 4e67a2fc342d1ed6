import {
  ConfigMap,
  Event,
  groupOf,
  type Kind,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StatefulSet,
  StorageClass,
} from "../../../../shared/kubernetes/kind.ts";

/** What the console may pass on about a kind besides reading it. */
export interface Acts {
  readonly create?: true;
  readonly delete?: true;
  /** What a patch may change, as paths. */
  readonly fields?: readonly (readonly string[])[];
}

/** A kind that the console passes requests on for. */
export type ConsoleKind = Kind & Acts;

const of = (apiVersion: string, kind: string, plural: string, namespaced = true): Kind => ({
  apiVersion,
  kind,
  plural,
  namespaced,
});

/** What pages show besides the kinds of the systems: how Holdfast itself is, and what Kubernetes says of objects. */
const shown: readonly Kind[] = [
  ...[Pod, PersistentVolumeClaim, PersistentVolume, StatefulSet, Namespace, Node, StorageClass, ConfigMap, Event],
  of("apps/v1", "Deployment", "deployments"),
  of("serving.knative.dev/v1", "Service", "services"),
  of("sources.knative.dev/v1", "ApiServerSource", "apiserversources"),
];

/**
 * What a function reads, and no page shows, by `<apiVersion>/<plural>`. Secrets are refused even if a rule should read
 * them one day.
 */
const hidden: ReadonlySet<string> = new Set([
  ...["v1/secrets", "v1/serviceaccounts", "v1/resourcequotas", "coordination.k8s.io/v1/leases"],
  ...["cluster.x-k8s.io/v1beta1/machines", "cluster.x-k8s.io/v1beta2/clusters", "eventing.knative.dev/v1/brokers"],
  ...["messaging.knative.dev/v1/inmemorychannels", "messaging.knative.dev/v1/subscriptions"],
]);

const annotations = (...keys: readonly string[]): Acts => ({
  fields: keys.map((key) => ["metadata", "annotations", key]),
});
/** An agent that others need, and what needs it: only the latter can be tried again. */
const base = annotations("holdfast.dev/approve-eviction");
const dependent = annotations("holdfast.dev/approve-eviction", "holdfast.dev/retry-eviction");

/** What pages do, by group and plural, and no more: a test derives it from the pages. */
export const acts: Readonly<Record<string, Acts>> = {
  "storage.metalk8s.scality.com/volumes": { create: true, delete: true },
  "/persistentvolumes": annotations("holdfast.dev/offer", "holdfast.dev/reclaim-at"),
  "/namespaces": annotations("holdfast.dev/successor-of"),
  "piraeus.io/linstorsatellites": { fields: [["spec", "deletionPolicy"]] },
  "compute.yaook.cloud/novacomputenodes": dependent,
  "network.yaook.cloud/neutronl2agents": base,
  "network.yaook.cloud/neutronl3agents": dependent,
  "network.yaook.cloud/neutrondhcpagents": dependent,
  "network.yaook.cloud/neutronbgpdragents": dependent,
  "network.yaook.cloud/neutronovnagents": base,
  "network.yaook.cloud/neutronovnbgpagents": dependent,
};

/** What a kind is known by in {@link acts}. */
export const keyOf = (kind: Pick<Kind, "apiVersion" | "plural">): string => `${groupOf(kind as Kind)}/${kind.plural}`;

/** The kinds that the console passes requests on for, by `<apiVersion>/<plural>`, out of those that are declared. */
export function consoleKinds(declared: readonly Kind[]): ReadonlyMap<string, ConsoleKind> {
  const isPassed = (kind: Kind) => !hidden.has(`${kind.apiVersion}/${kind.plural}`) && /^[a-z0-9]+$/.test(kind.plural);
  const kinds = [...declared, ...shown].filter(isPassed);
  return new Map(kinds.map((kind) => [`${kind.apiVersion}/${kind.plural}`, { ...kind, ...acts[keyOf(kind)] }]));
}
