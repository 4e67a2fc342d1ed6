import type { HttpRequest } from "../http-message.ts";
import { isFields } from "../kubernetes/fields.ts";

/** A CloudEvent as an HTTP message carries it, before anything of it is checked. */
export interface EventMessage {
  readonly mode: "binary" | "structured";
  /** Context attributes and extensions by name; those of binary mode are texts, as their headers have them. */
  readonly attributes: Record<string, unknown>;
  /** A text (binary mode, `data_base64`) or a JSON value (structured mode). */
  readonly data: { readonly text: string } | { readonly value: unknown } | undefined;
}

/** An envelope of structured mode that is no JSON object, or has data of no known form. */
export class EnvelopeError extends Error {
  override readonly name = "EnvelopeError";
}

/**
 * Takes a request or reply apart by the HTTP binding of CloudEvents 1.0. A message without a content type of
 * CloudEvents is taken for binary mode, even where it has no attribute.
 *
 * @throws EnvelopeError in structured mode.
 */
export function readEventMessage({ headers, body }: HttpRequest): EventMessage {
  if (isStructured(headers)) return { mode: "structured", ...readEnvelope(body) };
  const attributes: Record<string, unknown> = {};
  for (const name in headers) if (name.startsWith("ce-")) attributes[name.slice(3)] = headers[name];
  return { mode: "binary", attributes, data: body === "" ? undefined : { text: body } };
}

/** Whether the content type says structured mode; batches are none. */
export const isStructured = (headers: HttpRequest["headers"]): boolean =>
  /^\s*application\/cloudevents(?!-batch)/i.test(headers["content-type"] ?? "");

function readEnvelope(text: string): Pick<EventMessage, "attributes" | "data"> {
  let envelope: unknown;
  try {
    envelope = JSON.parse(text);
  } catch (cause) {
    throw new EnvelopeError("The event's envelope is not valid JSON.", { cause });
  }
  if (!isFields(envelope)) throw new EnvelopeError("The event's envelope is no JSON object.");
  const { data, data_base64: encoded, ...attributes } = envelope;
  if (encoded === undefined) return { attributes, data: data === undefined ? undefined : { value: data } };
  if (typeof encoded !== "string") throw new EnvelopeError("The event's data_base64 is no string.");
  return { attributes, data: { text: Buffer.from(encoded, "base64").toString("utf8") } };
}
