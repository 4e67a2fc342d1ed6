/**
 * A CloudEvent in transit. `attributes` holds the context attributes and extensions by name, all as strings, among them
 * `specversion` and, when there is data, `datacontenttype`; an attribute may be present and empty.
 */
export interface CloudEvent {
  readonly attributes: Attributes;
  /** The data as text; empty when there is none. */
  readonly body: string;
}

export type Attributes = Readonly<Record<string, string>>;

/** An event that a broker answers with 400; the message says what is wrong with it. */
export class InvalidEvent extends Error {
  override readonly name = "InvalidEvent";
}

const required = ["id", "source", "type"];

/** Throws {@link InvalidEvent} unless the attributes are those of a CloudEvents 1.0 event. */
export function validate(attributes: Attributes): void {
  if (attributes.specversion !== "1.0") {
    throw new InvalidEvent(`specversion is ${JSON.stringify(attributes.specversion)}, not "1.0".`);
  }
  if (/%(?![0-9a-f]{2})/i.test(attributes.source ?? ""))
    throw new InvalidEvent(`The source ${JSON.stringify(attributes.source)} is no URI reference.`);
  for (const name of required) if (!attributes[name]) throw new InvalidEvent(`The attribute ${name} is missing.`);
  for (const name in attributes) {
    if (!isAttributeName(name)) throw new InvalidEvent(`${JSON.stringify(name)} is no name of an attribute.`);
  }
}

function isAttributeName(name: string): boolean {
  for (let index = 0; index < name.length; index++) {
    const code = name.charCodeAt(index);
    if (!((code >= 97 && code <= 122) || (code >= 48 && code <= 57))) return false;
  }
  return name !== "";
}

/** Whether data of a content type is JSON; without a content type it is. */
export const isJson = (contentType: string | undefined): boolean => !contentType || /\bjson\b/i.test(contentType);
