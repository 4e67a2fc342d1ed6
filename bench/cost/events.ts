import type { WatchedChange } from "../../eventing/source/change-event.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { type Kind, PersistentVolumeClaim, Pod, StatefulSet } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { Namespace } from "../../test/harness/kinds.ts";
import { claim, manifest, statefulSet } from "../../test/harness/manifest.ts";
import { aPod } from "./busy.ts";
import { type Plane, requestBytes } from "./plane.ts";

/** What one change of an object costs. */
export interface EventCost {
  /** For people: `Pod updated`. */
  readonly what: string;
  /** How many events the sources sent of it: a pod that goes is first seen to be going. */
  readonly events: number;
  /** HTTP requests inside the cluster. */
  readonly requests: number;
  /** Bytes of all these requests. */
  readonly bytes: number;
  /** The Services of the functions that it triggers. */
  readonly wakes: readonly string[];
}

const namespace = "default";
const changed = { metadata: { labels: { edited: "true" } } };

/** Measures each change that a source of the default install reports, on an object of the usual size. */
export async function measureEvents(plane: Plane): Promise<EventCost[]> {
  const labels = { "app.kubernetes.io/name": "db", "app.kubernetes.io/instance": "db" };
  const [container] = (aPod("x", "node-0").spec as { containers: object[] }).containers;
  const template = { metadata: { labels }, spec: { containers: [container] } };
  const set = statefulSet({ namespace, name: "db", labels }, { selector: { matchLabels: labels }, template });
  return [
    ...(await measureLife(plane, Pod, aPod("db-0", "node-0", "data-db-0"))),
    ...(await measureLife(plane, StatefulSet, set)),
    ...(await measureLife(plane, PersistentVolumeClaim, claim({ namespace, name: "data-db-0", labels }))),
    ...(await measureLife(plane, Namespace, manifest(Namespace, { name: "shop", labels }))),
  ];
}

/** An object is created, edited and deleted; all finalizers are taken off it in between. */
async function measureLife(plane: Plane, kind: Kind, object: KubernetesObject): Promise<EventCost[]> {
  const { admin } = plane;
  const { name, namespace } = object.metadata;
  const costs: EventCost[] = [];
  const measure = async (verb: string, change: WatchedChange, deed: (admin: Client) => Promise<unknown>) => {
    const before = await admin.get(kind, namespace, name);
    const { events, requests, wakes } = await plane.measure(() => deed(admin));
    const stored = (await admin.get(kind, namespace, name)) ?? before ?? object;
    const bytes = requests * requestBytes(change, stored);
    costs.push({ what: `${kind.kind} ${verb}`, events, requests, bytes, wakes: [...wakes.keys()].sort() });
  };
  await measure("created", "ADDED", (admin) => admin.create(kind, object));
  await measure("updated", "MODIFIED", (admin) => admin.patch(kind, namespace, name, "merge", changed));
  // Namespaces take long to go, and no source of the default install reports it.
  if (kind === Namespace) return costs;
  await plane.measure(() => admin.patch(kind, namespace, name, "merge", { metadata: { finalizers: null } }));
  await measure("deleted", "DELETED", (admin) => admin.delete(kind, namespace, name, { gracePeriodSeconds: 0 }));
  return costs;
}
