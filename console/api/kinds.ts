import { bases, dependents } from "../../functions/eviction/lib/kinds.ts";
import {
  DaemonSet,
  LinstorCluster,
  LinstorSatellite,
  LinstorSatelliteConfiguration,
  Machine,
  VolumeAttachment,
} from "../../functions/satellite/lib/kinds.ts";
import { Volume } from "../../functions/volume/lib/kinds.ts";
import {
  ConfigMap,
  type Kind,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StatefulSet,
  StorageClass,
} from "../../shared/kubernetes/kind.ts";

const inNamespaces = (apiVersion: string, kind: string, plural: string): Kind => ({
  apiVersion,
  kind,
  plural,
  namespaced: true,
});

/** A function as Knative runs it. */
export const Service = inNamespaces("serving.knative.dev/v1", "Service", "services");
/** A function, where there is no Knative. */
export const Deployment = inNamespaces("apps/v1", "Deployment", "deployments");
/** Where events of Kubernetes come from. */
export const ApiServerSource = inNamespaces("sources.knative.dev/v1", "ApiServerSource", "apiserversources");

/** Selects what Holdfast is made of, in whichever namespace it is installed. */
export const partOfHoldfast = "app.kubernetes.io/part-of=holdfast";

/** Selects its functions. */
export const ofHoldfast = { labelSelector: `${partOfHoldfast},app.kubernetes.io/component` } as const;

/** Every kind of which the console shows objects. */
export const known: readonly Kind[] = [
  PersistentVolumeClaim,
  PersistentVolume,
  Volume,
  StatefulSet,
  Pod,
  Namespace,
  Node,
  StorageClass,
  LinstorSatellite,
  LinstorCluster,
  LinstorSatelliteConfiguration,
  Machine,
  VolumeAttachment,
  DaemonSet,
  ConfigMap,
  ApiServerSource,
  Service,
  Deployment,
  ...dependents,
  ...bases,
];

const short: Readonly<Record<string, string>> = {
  pvc: "PersistentVolumeClaim",
  pv: "PersistentVolume",
  sts: "StatefulSet",
  ns: "Namespace",
  sc: "StorageClass",
  ksvc: "Service",
};

/** The kind that a word names as kubectl takes it: `Volume`, `volumes`, `pvc`. */
export function kindNamed(word: string): Kind | undefined {
  const name = (short[word.toLowerCase()] ?? word).toLowerCase();
  return known.find(({ kind, plural }) => kind.toLowerCase() === name || plural === name);
}
