import { consoleKinds } from "../../functions/platform/lib/console/console-kinds.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";

/** A function as Knative runs it. */
export const Service = consoleKinds.get("serving.knative.dev/v1/services") as Kind;
/** A function, where there is no Knative. */
export const Deployment = consoleKinds.get("apps/v1/deployments") as Kind;
/** Where events of Kubernetes come from. */
export const ApiServerSource = consoleKinds.get("sources.knative.dev/v1/apiserversources") as Kind;

/** Selects what Holdfast is made of, in whichever namespace it is installed. */
export const partOfHoldfast = "app.kubernetes.io/part-of=holdfast";

/** Selects its functions. */
export const ofHoldfast = { labelSelector: `${partOfHoldfast},app.kubernetes.io/component` } as const;

const short = new Map([
  ["pvc", "PersistentVolumeClaim"],
  ["pv", "PersistentVolume"],
  ["sts", "StatefulSet"],
  ["ns", "Namespace"],
  ["sc", "StorageClass"],
  ["ksvc", "Service"],
]);

/** The kind that a word names as kubectl takes it: `Volume`, `volumes`, `pvc`. */
export function kindNamed(word: string): Kind | undefined {
  const name = (short.get(word.toLowerCase()) ?? word).toLowerCase();
  return [...consoleKinds.values()].find(({ kind, plural }) => kind.toLowerCase() === name || plural === name);
}
