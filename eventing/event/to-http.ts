import type { HttpRequest } from "../../shared/http-message.ts";
import { type CloudEvent, isJson } from "./cloud-event.ts";

/** The event in binary mode: attributes as `ce-` headers, data as the body, plus `headers`. */
export function toBinary(
  { attributes, body }: CloudEvent,
  headers: Readonly<Record<string, string>> = {},
): HttpRequest {
  const all: Record<string, string> = {};
  for (const name in attributes) {
    all[name === "datacontenttype" ? "content-type" : `ce-${name}`] = attributes[name] as string;
  }
  return { headers: Object.assign(all, headers), body };
}

/** The event in structured mode: one JSON document, plus `headers`. JSON data is embedded, other data is a string. */
export function toStructured(event: CloudEvent, headers: Readonly<Record<string, string>> = {}): HttpRequest {
  const { attributes, body } = event;
  const context = JSON.stringify(attributes);
  const data = body === "" ? "" : `,"data":${isJson(attributes.datacontenttype) ? body : JSON.stringify(body)}`;
  return {
    headers: { "content-type": "application/cloudevents+json", ...headers },
    body: `${context.slice(0, -1)}${data}}`,
  };
}
