import { createHash } from "node:crypto";
import { truncate } from "../truncate.ts";
import { isAlreadyExists } from "./api-error.ts";
import type { Client } from "./client.ts";
import { Event } from "./kind.ts";
import type { KubernetesObject } from "./object.ts";
import { microTimestamp } from "./timestamp.ts";

/** In bytes, as the API server counts. */
const longestNote = 1024;

/** What is to be read in a Kubernetes Event. */
export interface EventContent {
  readonly type: "Normal" | "Warning";
  /** CamelCase, one word for machines. With the object's uid and the function's system it identifies the Event. */
  readonly reason: string;
  /** A whole sentence, at most 1,024 bytes; longer ones are cut. */
  readonly note: string;
  /** What else identifies the Event, where an object may have several of one reason at once. */
  readonly distinct?: string;
  /** An Event of the reason stays where its note differs in numbers and times only: it says since when. */
  readonly once?: true;
}

/** Whether there was no Event of the reason, one with another note, or the very same. */
export type Recorded = "created" | "replaced" | "present";

interface KubernetesEvent extends KubernetesObject {
  note?: string;
}

/**
 * Records an events.k8s.io/v1 Event on an object. The Event's name follows from the object's uid, the function's system
 * and the reason, so that however often it is recorded there is one, and any rule of the system can clear it: with the
 * same note nothing is written, with another note it is replaced (the API server lets an Event change only its series).
 *
 * @throws ApiError when the API server does not take it.
 */
export async function recordEvent(
  client: Client,
  about: KubernetesObject,
  functionName: string,
  { type, reason, note, distinct, once }: EventContent,
  now: number,
): Promise<Recorded> {
  const { namespace, name, uid, resourceVersion } = about.metadata;
  const event: KubernetesEvent = {
    apiVersion: Event.apiVersion,
    kind: Event.kind,
    metadata: { name: eventName(about, functionName, reason, distinct), namespace: eventNamespace(about) } as never,
    eventTime: microTimestamp(now),
    type,
    reason,
    action: actionOf(functionName),
    note: truncate(note, longestNote),
    regarding: { apiVersion: about.apiVersion, kind: about.kind, namespace, name, uid, resourceVersion },
    reportingController: `holdfast.dev/${functionName.replaceAll("/", "-")}`,
    reportingInstance: functionName,
  };
  try {
    await client.create(Event, event, { metadataOnly: true });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { namespace, name } = event.metadata;
    const present = await client.get<KubernetesEvent>(Event, namespace, name);
    const isSame = once ? wordsOf(present?.note) === wordsOf(event.note) : present?.note === event.note;
    if (isSame) return "present";
    if (present) await client.delete(Event, namespace, name, { uid: present.metadata.uid });
    await client.create(Event, event, { metadataOnly: true }).catch((error: unknown) => {
      // Another instance has recorded one meanwhile, which says as much.
      if (!isAlreadyExists(error)) throw error;
    });
    return "replaced";
  }
  return "created";
}

/** Without numbers, times, and identifiers in hexadecimal digits. */
const wordsOf = (note: string | undefined) => note?.replaceAll(/[0-9a-f]*[0-9][0-9a-f]*/g, "");

/** Clears the Event of a reason, when there is one. */
export async function clearEvent(
  client: Client,
  about: KubernetesObject,
  functionName: string,
  reason: string,
): Promise<void> {
  await client.delete(Event, eventNamespace(about), eventName(about, functionName, reason));
}

/** What the function does, as one CamelCase word: `satellite/await-empty` is `AwaitEmpty`. */
function actionOf(functionName: string): string {
  const words = functionName.slice(functionName.indexOf("/") + 1).split("-");
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

/** Events on cluster-scoped objects live in `default`, as the API server demands. */
const eventNamespace = (about: KubernetesObject) => about.metadata.namespace ?? "default";

function eventName(about: KubernetesObject, functionName: string, reason: string, distinct?: string): string {
  const system = functionName.slice(0, functionName.indexOf("/"));
  const identity = [about.metadata.uid, system, reason, ...(distinct ? [distinct] : [])].join(" ");
  const hash = createHash("sha256").update(identity).digest("hex");
  return `${about.metadata.name.slice(0, 230).replace(/[-.]+$/, "")}.${hash.slice(0, 16)}`;
}
