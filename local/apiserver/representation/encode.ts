import { groupOf } from "../../../shared/kubernetes/kind.ts";
import type { ApiResponse } from "../../../shared/kubernetes/transport.ts";
import { asServed } from "../kinds/stored-version.ts";
import type { Answer } from "../request/answer.ts";
import type { Call } from "../request/call.ts";
import type { Resource } from "../resource.ts";
import type { State } from "../state.ts";
import { StatusError } from "../status-error.ts";
import { type Form, formOf } from "./accept.ts";
import { itemJson, metadataJson, objectJson } from "./represent.ts";
import { tableJson } from "./table-json.ts";

type ListAnswer = Answer & { type: "list" };

/** Puts an answer into the form that the client asked for. */
export function encode(state: State, call: Call, answer: Answer): ApiResponse {
  const warnings = warningHeader(call.warnings);
  if (answer.type === "stream") return respond(200, "application/json", answer.body, { ...warnings, ...chunked });
  const form = formOf(call.request.headers.accept);
  const status = answer.type === "list" ? 200 : answer.status;
  const json = jsonOf(state, call, answer, form);
  return respond(status, "application/json", once(json), warnings);
}

const chunked = { "transfer-encoding": "chunked" };

function jsonOf(state: State, call: Call, answer: Exclude<Answer, { type: "stream" }>, form: Form): string {
  switch (answer.type) {
    case "object":
      return JSON.stringify(answer.object);
    case "stored":
      if (form.list) throw notAList(answer.resource);
      if (form.shape === "table") return tableJson(state, call, asServed(answer.resource, answer.stored.object));
      return form.shape === "metadata"
        ? metadataJson(answer.stored.object)
        : objectJson(answer.resource, answer.stored);
    case "list":
      return listJson(state, call, answer, form);
  }
}

function listJson(state: State, call: Call, answer: ListAnswer, form: Form): string {
  const { resource, version, next, remaining, items } = answer;
  const listMetadata = {
    resourceVersion: String(version),
    continue: next ?? (resource.custom ? "" : undefined),
    remainingItemCount: remaining,
  };
  if (form.shape === "table") {
    const objects = items.map(({ object }) => asServed(resource, object));
    return tableJson(state, call, { kind: `${resource.kind}List`, metadata: listMetadata, items: objects });
  }
  const metadata = JSON.stringify(listMetadata);
  if (form.shape === "metadata") {
    if (!form.list) throw notAcceptable("PartialObjectMetadata, but the requested object is a list", resource, "List");
    const all = items.map(({ object }) => metadataJson(object)).join(",");
    return `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":${metadata},"items":[${all}]}`;
  }
  const all = items.map((stored) => itemJson(resource, stored)).join(",");
  const { kind, apiVersion } = resource;
  return `{"kind":"${kind}List","apiVersion":"${apiVersion}","metadata":${metadata},"items":[${all}]}`;
}

const notAList = (resource: Resource) =>
  resource.custom
    ? new StatusError(500, "", "content is not a list")
    : notAcceptable("PartialObjectMetadataList, but the requested object is not a list", resource);

function notAcceptable(what: string, resource: Resource, suffix = ""): StatusError {
  const [name = ""] = groupOf(resource).split(".");
  const type = resource.custom ? "unstructured.Unstructured" : `${name || "core"}.${resource.kind}`;
  return new StatusError(406, "NotAcceptable", `you requested ${what} (*${type}${suffix})`);
}

/** A failure as the Status that the API server would send. */
export function encodeFailure(error: unknown): ApiResponse {
  const known = error instanceof StatusError ? error : internal(error);
  const { status: code, reason, message, details } = known;
  const body = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    ...(reason ? { reason } : {}),
    ...(details ? { details } : {}),
    code,
  };
  const seconds = details?.retryAfterSeconds;
  const more = typeof seconds === "number" ? { "retry-after": String(seconds) } : {};
  return respond(code, "application/json", once(JSON.stringify(body)), more);
}

const internal = (error: unknown) =>
  new StatusError(500, "InternalError", `Internal error occurred: ${error instanceof Error ? error.message : error}`);

/** A response with a body of text. */
export const respond = (
  status: number,
  type: string,
  body: AsyncIterable<string>,
  headers: Record<string, string> = {},
): ApiResponse => ({ status, headers: { "content-type": type, ...headers }, body });

/** A body of one piece. */
export async function* once(text: string): AsyncGenerator<string, void, undefined> {
  yield text;
}

/** A header takes no more than ASCII. */
function warningHeader(warnings: readonly string[]): Record<string, string> {
  const all = warnings.map((warning) => `299 - ${JSON.stringify(warning).replace(/[^\x20-\x7e]/g, "?")}`);
  return all.length > 0 ? { warning: all.join(", ") } : {};
}
