import type { HttpRequest } from "../../shared/http-message.ts";
import { type CloudEvent, InvalidEvent, isJson } from "./cloud-event.ts";
import { canonicalTime } from "./timestamp.ts";

/** Whether a message carries a CloudEvent at all, in binary or structured mode. */
export function carriesEvent(headers: Readonly<Record<string, string>>): boolean {
  return headers["ce-specversion"] !== undefined || isStructured(headers);
}

const isStructured = (headers: Readonly<Record<string, string>>) =>
  /^\s*application\/cloudevents(?!-batch)/i.test(headers["content-type"] ?? "");

/**
 * Reads the CloudEvent of a request or reply in binary or structured mode; throws {@link InvalidEvent} when it cannot
 * be read. Whether all attributes are there is for `validate` to say.
 */
export function eventFrom(message: HttpRequest): CloudEvent {
  if (!carriesEvent(message.headers)) {
    throw new InvalidEvent("The request has neither a ce-specversion header nor a CloudEvents content type.");
  }
  const { attributes, body } = isStructured(message.headers) ? fromStructured(message.body) : fromBinary(message);
  if (attributes.time !== undefined) {
    const time = canonicalTime(attributes.time);
    if (time === undefined) throw new InvalidEvent(`The time ${JSON.stringify(attributes.time)} is not RFC 3339.`);
    attributes.time = time;
  }
  return { attributes, body };
}

type Draft = { attributes: Record<string, string>; body: string };

function fromBinary({ headers, body }: HttpRequest): Draft {
  const attributes: Record<string, string> = {};
  for (const name in headers) {
    if (name.startsWith("ce-")) attributes[name.slice(3)] = headers[name] as string;
    else if (name === "content-type") attributes.datacontenttype = headers[name] as string;
  }
  return { attributes, body };
}

function fromStructured(text: string): Draft {
  const { data, data_base64: encoded, ...context } = parseObject(text);
  const attributes: Record<string, string> = {};
  for (const [name, value] of Object.entries(context)) {
    if (typeof value === "object" && value !== null) throw new InvalidEvent(`The attribute ${name} is no plain value.`);
    if (value !== null) attributes[name] = String(value);
  }
  if (data === undefined && encoded === undefined) return { attributes, body: "" };
  if (typeof encoded === "string") return { attributes, body: Buffer.from(encoded, "base64").toString("utf8") };
  const isText = typeof data === "string" && !isJson(attributes.datacontenttype);
  return { attributes, body: isText ? data : JSON.stringify(data) };
}

function parseObject(text: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new InvalidEvent("The body is no JSON.");
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new InvalidEvent("The body is no JSON object.");
  }
  return parsed as Record<string, unknown>;
}
