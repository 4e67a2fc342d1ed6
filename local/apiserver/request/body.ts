import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { pruneCustom } from "../custom/prune-unknown.ts";
import { badRequest } from "../failure.ts";
import { decodeProtobuf, protobufType } from "../protobuf/decode.ts";
import type { Resource } from "../resource.ts";
import { StatusError } from "../status-error.ts";
import type { Call } from "./call.ts";
import { conform, TypeMismatch } from "./conform.ts";

/** The media type of the body, without parameters; JSON when the client did not say. */
export function contentType({ request }: Call): string {
  return (request.headers["content-type"] ?? "application/json").split(";")[0]!.trim().toLowerCase();
}

/** The object in the body of a create or an update, typed as the resource is. Throws 400 and 415. */
export function readObject(call: Call, resource: Resource): KubernetesObject {
  const document = readDocument(call, resource.kind);
  // Custom resources must say what they are.
  const own = resource.custom ? {} : { apiVersion: resource.apiVersion, kind: resource.kind };
  const { apiVersion, kind } = { ...own, ...document };
  const refuse = (why: string) => badRequest(`This cannot be handled as a ${resource.kind}: ${why}`);
  if (kind !== resource.kind) throw refuse(`it is of the kind ${kind}, not ${resource.kind}`);
  if (apiVersion !== resource.apiVersion) {
    throw refuse(`it is of the apiVersion ${apiVersion}, not ${resource.apiVersion}`);
  }
  try {
    return decode(call, resource, { ...document, apiVersion, kind });
  } catch (error) {
    throw error instanceof TypeMismatch ? refuse(error.message) : error;
  }
}

/**
 * Types an object that came in a request. Unknown fields are dropped with a warning, or without
 * (`fieldValidation=Ignore`), or throw {@link TypeMismatch} (`Strict`).
 */
export function decode(call: Call, resource: Resource, document: Fields): KubernetesObject {
  const conformed = conform(resource, document);
  const pruned = resource.custom && pruneCustom(resource.custom.schema, conformed.object);
  const object = pruned?.object ?? conformed.object;
  const unknown = [...conformed.unknown, ...(pruned?.unknown ?? [])];
  const mode = call.fieldValidation;
  const problems = unknown.map((field) => `unknown field ${JSON.stringify(field)}`);
  if (mode === "Strict" && problems.length > 0) {
    throw new TypeMismatch(`strict decoding error: ${problems.join(", ")}`);
  }
  if (mode === "Warn") call.warnings.push(...problems);
  return { ...object, metadata: isFields(object.metadata) ? object.metadata : {} } as KubernetesObject;
}

function readDocument(call: Call, kind: string): Fields {
  const type = contentType(call);
  if (type === protobufType) return protobufIn(call);
  if (type !== "application/json") throw unsupportedBody();
  const text = call.request.body ?? "";
  const unrecognized = (why: string) =>
    badRequest(`the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; ${why}`);
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw unrecognized(`json parse error: ${error instanceof Error ? error.message : error}`);
  }
  if (!isFields(document)) throw unrecognized("the body is no object");
  return document;
}

/** A body in protobuf, which comes here as base64. Throws 400 and 415. */
export const protobufIn = ({ request }: Call): Fields => decodeProtobuf(Buffer.from(request.body ?? "", "base64"));

const unsupportedBody = () =>
  new StatusError(
    415,
    "UnsupportedMediaType",
    "the body of the request was in an unknown format - accepted media types include: application/json",
  );
