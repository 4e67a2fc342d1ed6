import type { Attributes } from "../event/cloud-event.ts";

/**
 * What the standard attributes count as when the event does not have them: Knative takes them for present and empty.
 */
const absent: Attributes = {
  subject: "",
  dataschema: "",
  datacontenttype: "",
  datacontentencoding: "",
  time: "0001-01-01T00:00:00Z",
};

/** The value that each dialect compares; `undefined` for an extension that the event does not have. */
export function lookup(attributes: Attributes, name: string): string | undefined {
  if (name === "schemaurl") return lookup(attributes, "dataschema");
  if (name === "datamediatype") return lookup(attributes, "datacontenttype")?.split(";")[0]?.trim();
  const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
  return value ?? (Object.hasOwn(absent, name) ? absent[name] : undefined);
}
