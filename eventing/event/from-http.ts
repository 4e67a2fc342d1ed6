import { EnvelopeError, type EventMessage, isStructured, readEventMessage } from "../../shared/event/event-message.ts";
import type { HttpRequest } from "../../shared/http-message.ts";
import { type CloudEvent, InvalidEvent, isJson } from "./cloud-event.ts";
import { canonicalTime } from "./timestamp.ts";

/** Whether a message carries a CloudEvent at all, in binary or structured mode. */
export function carriesEvent(headers: Readonly<Record<string, string>>): boolean {
  return headers["ce-specversion"] !== undefined || isStructured(headers);
}

/**
 * Reads the CloudEvent of a request or reply in binary or structured mode; throws {@link InvalidEvent} when it cannot
 * be read. Whether all attributes are there is for `validate` to say.
 */
export function eventFrom(message: HttpRequest): CloudEvent {
  if (!carriesEvent(message.headers)) {
    throw new InvalidEvent("The request has neither a ce-specversion header nor a CloudEvents content type.");
  }
  const { attributes, body } = draftOf(message);
  if (attributes.time !== undefined) {
    const time = canonicalTime(attributes.time);
    if (time === undefined) throw new InvalidEvent(`The time ${JSON.stringify(attributes.time)} is not RFC 3339.`);
    attributes.time = time;
  }
  return { attributes, body };
}

function draftOf(message: HttpRequest): { attributes: Record<string, string>; body: string } {
  const { mode, attributes: context, data } = messageOf(message);
  const attributes: Record<string, string> = {};
  for (const [name, value] of Object.entries(context)) {
    if (typeof value === "object" && value !== null) throw new InvalidEvent(`The attribute ${name} is no plain value.`);
    if (value !== null && value !== undefined) attributes[name] = String(value);
  }
  const type = message.headers["content-type"];
  if (mode === "binary" && type !== undefined) attributes.datacontenttype = type;
  if (data === undefined) return { attributes, body: "" };
  if ("text" in data) return { attributes, body: data.text };
  const isText = typeof data.value === "string" && !isJson(attributes.datacontenttype);
  return { attributes, body: isText ? (data.value as string) : JSON.stringify(data.value) };
}

function messageOf(message: HttpRequest): EventMessage {
  try {
    return readEventMessage(message);
  } catch (cause) {
    throw cause instanceof EnvelopeError ? new InvalidEvent(cause.message, { cause }) : cause;
  }
}
