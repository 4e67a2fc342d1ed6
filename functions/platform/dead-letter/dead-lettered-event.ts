import { EnvelopeError, type EventMessage, readEventMessage } from "../../../shared/event/event-message.ts";
import type { HttpRequest } from "../../../shared/http-message.ts";
import { isFields } from "../../../shared/kubernetes/fields.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Pod } from "../../../shared/storage/pod-claims.ts";

/**
 * An event that a function finally did not take, reduced to what may be kept: no secrets, no environment, no status.
 */
export interface DeadLetteredEvent {
  /** Milliseconds since the epoch. */
  readonly received: number;
  /** Since when events of this object have failed in this function, where another one is kept; likewise. */
  readonly since?: number;
  /** The CloudEvent's own attributes, as far as they are texts. */
  readonly attributes: Readonly<Record<string, string>>;
  /**
   * The host of the function, for example `pvc-protection-release.holdfast`; empty when the broker did not say: the
   * function answered too late or with a body that is no event, or the broker's channel delivers for a Trigger that is
   * gone.
   */
  readonly destination: string;
  /** There is no such function: anyone may have made the name up. */
  readonly unknown?: true;
  /** The HTTP status of the last attempt; empty when there was no answer. */
  readonly code: string;
  /** The function's reply. */
  readonly reply: string;
  /** The Pod, reduced, when the event carried one. */
  readonly object?: object;
}

type Volume = NonNullable<Pod["spec"]["volumes"]>[number];

const longestReply = 500;
/** Attributes that are kept, and how long their names and values may be: the sender of an event chooses all three. */
const mostAttributes = 20;
const longestName = 20;
const longestValue = 300;
/** With this, Knative begins the text that goes with the status 500 of a function that it could not reach. */
const unreached = "dispatch error:";
const errorAttributes = ["knativeerrordest", "knativeerrorcode", "knativeerrordata"];

/**
 * Reads a dead-lettered event. Lenient on purpose: events end here because something is wrong with them. Brokers add
 * `knativeerrordest`, `knativeerrorcode` and `knativeerrordata` (base64, at most 1,024 characters).
 */
export function readDeadLetteredEvent(request: HttpRequest, received: number): DeadLetteredEvent {
  const { attributes: envelope, data } = messageOf(request);
  const all = Object.fromEntries(
    Object.entries(envelope).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
  const attributes = Object.fromEntries(
    Object.entries(all)
      // The names that CloudEvents allows.
      .filter(([name]) => /^[a-z0-9]+$/.test(name) && name.length <= longestName && !errorAttributes.includes(name))
      .slice(0, mostAttributes)
      .map(([name, value]) => [name, value.slice(0, longestValue)]),
  );
  const code = /^[1-5][0-9][0-9]$/.exec(all.knativeerrorcode ?? "")?.[0] ?? "";
  const reply = Buffer.from((all.knativeerrordata ?? "").slice(0, 1024), "base64").toString("utf8");
  const object = reduced(data && ("value" in data ? data.value : parse(data.text)));
  return {
    received,
    attributes,
    destination: destinationOf(all.knativeerrordest),
    code: code === "500" && reply.startsWith(unreached) ? "" : code,
    reply: reply.slice(0, longestReply),
    ...(object ? { object } : {}),
  };
}

/**
 * The fields that rules read from a Pod, which may be gone by the time of a replay, and none besides: an allow-list
 * cannot leak what it does not know. Other objects are left out: an event without its object has every rule read it
 * live.
 */
function reduced(data: unknown): object | undefined {
  const { apiVersion, kind, metadata, spec, status } = asRecord(data) as Partial<Pod> & Partial<KubernetesObject>;
  if (kind !== "Pod" || typeof asRecord(metadata).name !== "string") return undefined;
  const identity = Object.entries(metadata as object).filter(([field]) => identifying.has(field));
  const volumes = Array.isArray(spec?.volumes) ? spec.volumes : [];
  return {
    apiVersion,
    kind,
    metadata: Object.fromEntries(identity),
    spec: {
      nodeName: spec?.nodeName,
      volumes: volumes.flatMap((volume: Volume | null): object[] => {
        const { name, persistentVolumeClaim, ephemeral } = asRecord(volume);
        if (persistentVolumeClaim) return [{ name, persistentVolumeClaim }];
        return ephemeral ? [{ name, ephemeral: {} }] : [];
      }),
    },
    status: { phase: status?.phase },
  };
}

/** What of an object's metadata says which object it is, to whom it belongs, and whether it is going. */
const identifying = new Set([
  "name",
  "namespace",
  "uid",
  "resourceVersion",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "finalizers",
  "ownerReferences",
]);

function messageOf(request: HttpRequest): Pick<EventMessage, "attributes" | "data"> {
  try {
    return readEventMessage(request);
  } catch (error) {
    if (error instanceof EnvelopeError) return { attributes: {}, data: undefined };
    throw error;
  }
}

/** `http://pvc-protection-release.holdfast.svc.cluster.local/` is the function `pvc-protection-release.holdfast`. */
function destinationOf(url = ""): string {
  try {
    return new URL(url).hostname.split(".").slice(0, 2).join(".").slice(0, 130);
  } catch {
    return url.slice(0, 100);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const asRecord = (value: unknown): Record<string, unknown> => (isFields(value) ? value : {});
