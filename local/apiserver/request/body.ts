import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { pruneCustom } from "../custom/prune-unknown.ts";
import { badRequest, invalid } from "../failure.ts";
import { decodeProtobuf, protobufType } from "../protobuf/decode.ts";
import type { Resource } from "../resource.ts";
import { StatusError } from "../status-error.ts";
import { invalidValue } from "../validation/status-cause.ts";
import type { Call } from "./call.ts";
import { conform, TypeMismatch } from "./conform.ts";

/** The media type of the body, without parameters; JSON when the client did not say. */
export function contentType({ request }: Call): string {
  return (request.headers["content-type"] ?? "application/json").split(";")[0]!.trim().toLowerCase();
}

/**
 * The object in the body of a create or an update, typed as the resource is. Throws 400 and 415 as the API server words
 * them.
 */
export function readObject(call: Call, resource: Resource): KubernetesObject {
  const document = readDocument(call, resource.kind);
  if (resource.custom) checkCustomType(resource, document, call.request.body ?? "");
  const { apiVersion = resource.apiVersion, kind = resource.kind } = document;
  const [given, wanted] = [`${kind}`, resource.kind];
  const versioned = `${given} in version ${JSON.stringify(versionOf(`${apiVersion}`))}`;
  if (apiVersion !== resource.apiVersion) {
    throw badRequest(
      `${versioned} cannot be handled as a ${wanted}: no kind ${JSON.stringify(given)} is registered for ` +
        `version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  if (given !== wanted) {
    throw badRequest(
      `${versioned} cannot be handled as a ${wanted}: converting (${versionOf(`${apiVersion}`)}.${given}) ` +
        `to (core.${wanted}): unknown conversion`,
    );
  }
  try {
    return decode(call, resource, { ...document, apiVersion, kind });
  } catch (error) {
    if (!(error instanceof TypeMismatch)) throw error;
    throw badRequest(`${versioned} cannot be handled as a ${wanted}: ${error.message}`);
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

/** Custom resources must say what they are. */
function checkCustomType(resource: Resource, document: Fields, text: string): void {
  const { apiVersion, kind, metadata } = document;
  for (const [field, name] of [
    [kind, "Kind"],
    [apiVersion, "apiVersion"],
  ] as const) {
    if (field) continue;
    const start = text.length > 30 ? `${text.slice(0, 30)} ...` : text;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${resource.kind}): ` +
        `Object '${name}' is missing in '${text}' (${start})`,
    );
  }
  if (apiVersion !== resource.apiVersion) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${resource.apiVersion})`,
    );
  }
  if (kind !== resource.kind) {
    const cause = invalidValue("kind", kind, `must be ${resource.kind}`);
    throw invalid({ ...resource, kind: `${kind}` }, isFields(metadata) ? `${metadata.name ?? ""}` : "", [cause]);
  }
}

const unsupportedBody = () =>
  new StatusError(
    415,
    "UnsupportedMediaType",
    "the body of the request was in an unknown format - accepted media types include: application/json",
  );

const versionOf = (apiVersion: string) => apiVersion.slice(apiVersion.indexOf("/") + 1);
