import { StatusError } from "../status-error.ts";

/** The form in which a client wants its answer. */
export interface Form {
  /** `metadata` leaves out all but the metadata, `table` is made for people. */
  readonly shape: "whole" | "metadata" | "table";
  /** Whether the client asked for the metadata of a list rather than of one object. */
  readonly list?: boolean;
}

const shapes: Readonly<Record<string, Form>> = {
  Table: { shape: "table" },
  PartialObjectMetadata: { shape: "metadata", list: false },
  PartialObjectMetadataList: { shape: "metadata", list: true },
};

const cache = new Map<string, Form | StatusError>();

/**
 * Reads an `accept` header: the first type that is understood counts. There is only JSON, also for a client that
 * asks for protobuf or CBOR. Throws 406.
 */
export function formOf(accept: string | undefined): Form {
  const header = accept ?? "";
  let form = cache.get(header);
  if (form === undefined) {
    form = read(header);
    if (cache.size < 100) cache.set(header, form);
  }
  if (form instanceof StatusError) throw form;
  return form;
}

function read(header: string): Form | StatusError {
  const types = header.split(",").map((type) => type.split(";").map((part) => part.trim()));
  let understood = false;
  for (const [type = "", ...parameters] of types) {
    const name = type.toLowerCase();
    if (!["", "*/*", "application/*", "application/json"].includes(name) && !binary.test(name)) continue;
    understood = true;
    const { as, g, v } = Object.fromEntries(parameters.map((parameter) => parameter.split("=")));
    if (as === undefined) return { shape: "whole" };
    const shape = g === "meta.k8s.io" && v === "v1" ? shapes[as] : undefined;
    if (shape) return shape;
  }
  const message = understood
    ? "only the following media types are accepted: application/json"
    : "406: Not Acceptable\n\nAvailable representations: application/json, application/json;stream=watch";
  return new StatusError(406, "NotAcceptable", message, understood ? undefined : {});
}

const binary = /^application\/(vnd\.kubernetes\.protobuf|cbor)/;
