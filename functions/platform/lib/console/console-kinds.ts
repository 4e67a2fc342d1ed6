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
  /** Its annotations and labels. */
  readonly annotate?: true;
  /** Further fields that a patch may have, as paths. */
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
  of("v1", "Event", "events"),
  of("apps/v1", "Deployment", "deployments"),
  of("serving.knative.dev/v1", "Service", "services"),
  of("eventing.knative.dev/v1", "Broker", "brokers"),
  of("eventing.knative.dev/v1", "Trigger", "triggers"),
  of("sources.knative.dev/v1", "ApiServerSource", "apiserversources"),
  of("sources.knative.dev/v1", "PingSource", "pingsources"),
];

/** What a rule reads, and no page shows. Secrets are refused even if a rule should read them one day. */
const hidden: ReadonlySet<string> = new Set(["/secrets", "/serviceaccounts", "messaging.knative.dev/subscriptions"]);

const agent: Acts = { annotate: true, fields: [["spec", "state"]] };

/** What pages do, by group and plural. */
export const acts: Readonly<Record<string, Acts>> = {
  "storage.metalk8s.scality.com/volumes": { create: true, delete: true, annotate: true },
  "/persistentvolumes": { annotate: true },
  "/persistentvolumeclaims": { annotate: true },
  "/namespaces": { annotate: true },
  "apps/statefulsets": { annotate: true },
  "piraeus.io/linstorsatellites": { annotate: true, fields: [["spec", "deletionPolicy"]] },
  "compute.yaook.cloud/novacomputenodes": agent,
  "network.yaook.cloud/neutronl2agents": agent,
  "network.yaook.cloud/neutronl3agents": agent,
  "network.yaook.cloud/neutrondhcpagents": agent,
  "network.yaook.cloud/neutronbgpdragents": agent,
  "network.yaook.cloud/neutronovnagents": agent,
  "network.yaook.cloud/neutronovnbgpagents": agent,
};

/** What a kind is known by in {@link acts}. */
export const keyOf = (kind: Pick<Kind, "apiVersion" | "plural">): string => `${groupOf(kind as Kind)}/${kind.plural}`;

/** The kinds that the console passes requests on for, by `<apiVersion>/<plural>`, out of those that are declared. */
export function consoleKinds(declared: readonly Kind[]): ReadonlyMap<string, ConsoleKind> {
  const isPassed = (kind: Kind) => !hidden.has(keyOf(kind)) && /^[a-z0-9]+$/.test(kind.plural);
  const kinds = [...declared, ...shown].filter(isPassed);
  return new Map(kinds.map((kind) => [`${kind.apiVersion}/${kind.plural}`, { ...kind, ...acts[keyOf(kind)] }]));
}
