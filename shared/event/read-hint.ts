import { CloudEvent, type CloudEventV1 } from "cloudevents";
import type { HttpRequest } from "../http-message.ts";
import { isFields } from "../kubernetes/fields.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { EnvelopeError, type EventMessage, readEventMessage } from "./event-message.ts";
import type { Change, Hint } from "./hint.ts";
import { MalformedEvent } from "./malformed-event.ts";

/**
 * Reads a Kubernetes change event, in binary or structured mode, as ApiServerSource, a broker or the sweep sends it.
 * The SDK fills in what is missing and does not validate on receipt, so the required attributes are checked here first.
 * The object inside is left unparsed until a rule asks for it: most events never come that far.
 *
 * @throws MalformedEvent with 400, or 415 for batches and content types that are not JSON.
 */
export function readHint(request: HttpRequest): Hint {
  const contentType = mediaType(request.headers["content-type"]);
  if (contentType === "application/cloudevents-batch+json")
    throw new MalformedEvent("This function takes one event per request, not batches.", 415);
  const { mode, attributes, data } = messageOf(request, contentType);
  if (mode === "binary") {
    for (const name in attributes) attributes[name] = decoded(attributes[name] as string);
    if (!("specversion" in attributes) && !("id" in attributes))
      throw new MalformedEvent(
        "The request is no CloudEvent: it has neither ce- headers nor a CloudEvents content type.",
      );
  }
  return toHint(attributes, () => {
    if (data === undefined || "value" in data) return data?.value;
    if (mode === "binary" && !isJson(contentType))
      throw new MalformedEvent(`The event's data is ${contentType || "untyped"}, not JSON.`, 415);
    return parsed(data.text);
  });
}

function messageOf(request: HttpRequest, contentType: string): EventMessage {
  if (contentType.startsWith("application/cloudevents") && contentType !== "application/cloudevents+json")
    throw new MalformedEvent(`Structured events are read as application/cloudevents+json, not ${contentType}.`, 415);
  try {
    return readEventMessage(request);
  } catch (cause) {
    if (cause instanceof EnvelopeError) throw new MalformedEvent(cause.message, 400, cause);
    throw cause;
  }
}

/** Attributes are kept until a run ends, and logged: a long one would take the memory that a body must not. */
const mostCharacters = 1000;

function toHint(attributes: Record<string, unknown>, readData: () => unknown): Hint {
  const required = (name: string): string => {
    const value = attributes[name];
    if (typeof value !== "string" || value === "")
      throw new MalformedEvent(`The event's attribute ${name} is missing or empty.`);
    if (value.length > mostCharacters)
      throw new MalformedEvent(`The event's attribute ${name} is longer than ${mostCharacters} characters.`);
    return value;
  };
  for (const name of ["id", "source", "type"]) required(name);
  if (required("specversion") !== "1.0")
    throw new MalformedEvent(`CloudEvents ${attributes.specversion} is not read; send version 1.0.`);
  const event = validated(attributes);

  const kind = required("kind");
  const apiVersion = required("apiversion");
  const name = pathSegment("name", required("name"));
  const namespace = attributes.namespace ? pathSegment("namespace", required("namespace")) : undefined;
  const change = changeOf(event.type);
  const signal = change === "signal" ? { signal: event.type } : {};
  // What a signal carries is its sender's own: the object is not in it.
  const read = change === "signal" ? () => undefined : readData;
  return new LazyHint({ id: event.id, change, ...signal, apiVersion, kind, name }, namespace, read);
}

/** A class, because V8 makes an object with a getter of its own slow, and keeps it longer than the request. */
class LazyHint implements Hint {
  readonly id: string;
  readonly change: Hint["change"];
  readonly signal?: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  #read: (() => unknown) | undefined;
  #object: KubernetesObject | undefined;

  constructor(given: Omit<Hint, "namespace" | "object">, namespace: string | undefined, read: () => unknown) {
    this.id = given.id;
    this.change = given.change;
    if (given.signal !== undefined) this.signal = given.signal;
    this.apiVersion = given.apiVersion;
    this.kind = given.kind;
    this.name = given.name;
    if (namespace !== undefined) this.namespace = namespace;
    this.#read = read;
  }

  get object(): KubernetesObject | undefined {
    if (this.#read) this.#object = objectOf(this.#read(), this.kind, this.name, this.namespace);
    this.#read = undefined;
    return this.#object;
  }
}

function validated(attributes: Record<string, unknown>): CloudEvent<unknown> {
  try {
    return new CloudEvent<unknown>(attributes as Partial<CloudEventV1<unknown>>);
  } catch (cause) {
    throw new MalformedEvent(`The event does not conform to CloudEvents 1.0: ${faultOf(cause)}.`, 400, cause);
  }
}

/** The SDK's message is its schema validator's dump; the first finding of it says what is wrong. */
function faultOf(error: unknown): string {
  const { errors, message } = error as { errors?: { instancePath?: string; message?: string }[]; message: string };
  const [first] = errors ?? [];
  return first?.message
    ? `${first.instancePath?.slice(1)} ${first.message}`
    : (message.split("\n")[0]?.slice(0, 200) ?? "");
}

const signals = /^dev\.holdfast\.[a-z0-9.-]+$/;
const changes = /^dev\.knative\.apiserver\.(?:resource|ref)\.(add|update|delete)$/;

function changeOf(type: string): Hint["change"] {
  if (type === "dev.holdfast.sweep") return "sweep";
  if (signals.test(type)) return "signal";
  const change = changes.exec(type)?.[1];
  if (change) return change as Change;
  throw new MalformedEvent(
    `Events of type ${type.slice(0, 100)} say nothing about a Kubernetes object; ` +
      "narrow the filter of the Trigger that sends them.",
  );
}

/** The names go into URLs of the API server: refuse what could leave its path segment (as its own validation does). */
function pathSegment(attribute: string, value: string): string {
  if (value.length > 253 || value === "." || value === ".." || /[/%\s]/.test(value))
    throw new MalformedEvent(`The event's attribute ${attribute} is no name of a Kubernetes object.`);
  return value;
}

/** Delete events carry the last state; Reference mode sends only kind and name, and no metadata. */
function objectOf(data: unknown, kind: string, name: string, namespace?: string): KubernetesObject | undefined {
  if (data === undefined || data === null) return undefined;
  if (!isFields(data)) throw new MalformedEvent("The event's data is no Kubernetes object.");
  if (data.metadata === undefined) return undefined;
  const { metadata } = data;
  if (!isFields(metadata) || metadata.name !== name || (metadata.namespace ?? "") !== (namespace ?? ""))
    throw new MalformedEvent(`The event's data is not the ${kind} that its attributes name.`);
  const { finalizers = [], annotations = {}, ownerReferences = [] } = metadata;
  if (!isListOf(finalizers, isText) || !isListOf(ownerReferences, isFields) || !isMapOfTexts(annotations))
    throw new MalformedEvent("The event's data has metadata that no API server sends.");
  return data as KubernetesObject;
}

const isText = (value: unknown) => typeof value === "string";
const isListOf = (list: unknown, isMember: (value: unknown) => boolean) => Array.isArray(list) && list.every(isMember);
const isMapOfTexts = (map: unknown) => isFields(map) && Object.values(map).every(isText);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new MalformedEvent("The event's data is not valid JSON.", 400, cause);
  }
}

/** Without parameters, in lower case: senders differ in spacing and charset. */
function mediaType(header = ""): string {
  const end = header.indexOf(";");
  return (end < 0 ? header : header.slice(0, end)).trim().toLowerCase();
}

const isJson = (contentType: string) => contentType === "application/json" || contentType.endsWith("+json");

/** The HTTP binding percent-encodes what a header cannot carry. */
function decoded(value: string): string {
  if (!value.includes("%")) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    throw new MalformedEvent("An attribute of the event is not properly percent-encoded.");
  }
}
