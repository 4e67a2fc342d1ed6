import { Event } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Cluster } from "../harness/cluster.ts";

/** An Event as scenarios look at it. */
export interface RecordedEvent extends KubernetesObject {
  reason: string;
  type: string;
  note: string;
  regarding: { kind: string; name: string; uid: string };
  reportingController?: string;
}

/** The Events on an object of the scenario's namespace, of all recorders. */
export async function eventsOn({ admin, namespace }: Cluster, kind: string, name: string): Promise<RecordedEvent[]> {
  const events = await Array.fromAsync(admin.list<RecordedEvent>(Event, { namespace }));
  return events.filter(({ regarding }) => regarding?.kind === kind && regarding.name === name);
}

/** The Events on an object that functions of Holdfast recorded. */
export async function noticesOn(cluster: Cluster, kind: string, name: string): Promise<RecordedEvent[]> {
  const events = await eventsOn(cluster, kind, name);
  return events.filter(({ reportingController }) => reportingController?.startsWith("holdfast.dev/"));
}

/** Waits for an Event of a function of Holdfast on an object, and returns the first one. */
export function noticeOn(cluster: Cluster, kind: string, name: string): Promise<RecordedEvent> {
  return cluster.eventually(`${kind} ${name} has an Event`, async () => (await noticesOn(cluster, kind, name))[0]);
}
