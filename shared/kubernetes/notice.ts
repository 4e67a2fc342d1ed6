import { createHash } from "node:crypto";
import type { Notice } from "../decision.ts";
import { withinBytes } from "../within-bytes.ts";
import { isAlreadyExists } from "./api-error.ts";
import type { Client } from "./client.ts";
import { Event } from "./kind.ts";
import type { KubernetesObject } from "./object.ts";

/** In bytes, as the API server counts. */
const longestNote = 1024;

/** Whether there was no Event of the reason, one with another note, or the very same. */
export type Told = "created" | "replaced" | "present";

interface KubernetesEvent extends KubernetesObject {
  note?: string;
}

/**
 * Shows a notice on an object as an events.k8s.io/v1 Event. The Event's name follows from the object's uid, the rule and
 * the reason, so that however often it is told there is one: told again with the same note nothing is written, with
 * another note it is replaced (the API server lets an Event change only its series). Answers what became of it.
 */
export async function tell(
  client: Client,
  about: KubernetesObject,
  ruleName: string,
  notice: Notice,
  now: number,
): Promise<Told> {
  const { namespace, name, uid, resourceVersion } = about.metadata;
  const event: KubernetesEvent = {
    apiVersion: Event.apiVersion,
    kind: Event.kind,
    metadata: { name: eventName(about, ruleName, notice.reason), namespace: eventNamespace(about) } as never,
    eventTime: new Date(now).toISOString().replace("Z", "000Z"),
    type: notice.type,
    reason: notice.reason,
    action: notice.action,
    note: withinBytes(notice.note, longestNote),
    regarding: { apiVersion: about.apiVersion, kind: about.kind, namespace, name, uid, resourceVersion },
    reportingController: `holdfast.dev/${ruleName.replaceAll("/", "-")}`,
    reportingInstance: ruleName,
  };
  try {
    await client.create(Event, event, { metadataOnly: true });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { namespace, name } = event.metadata;
    const present = await client.get<KubernetesEvent>(Event, namespace, name);
    if (present?.note === event.note) return "present";
    if (present) await client.delete(Event, namespace, name, { uid: present.metadata.uid });
    await client.create(Event, event, { metadataOnly: true });
    return "replaced";
  }
  return "created";
}

/** Takes back the notice of a reason, when there is one. */
export async function retract(
  client: Client,
  about: KubernetesObject,
  ruleName: string,
  reason: string,
): Promise<void> {
  await client.delete(Event, eventNamespace(about), eventName(about, ruleName, reason));
}

/** Events on cluster-scoped objects live in `default`, as the API server demands. */
const eventNamespace = (about: KubernetesObject) => about.metadata.namespace ?? "default";

function eventName(about: KubernetesObject, ruleName: string, reason: string): string {
  const hash = createHash("sha256").update(`${about.metadata.uid} ${ruleName} ${reason}`).digest("hex");
  return `${about.metadata.name.slice(0, 230).replace(/[-.]+$/, "")}.${hash.slice(0, 16)}`;
}
