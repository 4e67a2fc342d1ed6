import { createRequire } from "node:module";
import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { serverSideApply } from "../apply/apply.ts";
import { attributesOf } from "../auth/attributes.ts";
import { authorize } from "../auth/authorize.ts";
import { badRequest, conflict, notFound, unprocessablePatch } from "../failure.ts";
import { collectionOf } from "../kinds/resource-table.ts";
import { asServed } from "../kinds/stored-version.ts";
import { copyOf } from "../patch/copy.ts";
import { jsonPatch } from "../patch/json-patch.ts";
import { mergePatch } from "../patch/merge-patch.ts";
import { strategicMerge } from "../patch/strategic-patch.ts";
import type { Answer } from "../request/answer.ts";
import { contentType, decode } from "../request/body.ts";
import { isTrue, keyOf, type ObjectCall } from "../request/call.ts";
import { TypeMismatch } from "../request/conform.ts";
import { checkPatchOptions } from "../request/write-options.ts";
import type { State } from "../state.ts";
import { StatusError } from "../status-error.ts";
import { createObject } from "../write/create-object.ts";
import { updateObject } from "../write/update-object.ts";
import { checkNames } from "./check-names.ts";

// The parser is loaded with the first apply: most clients send JSON.
const require = createRequire(import.meta.url);

/** How a patch changes an object, given in the version that the client speaks. */
export type PatchType = "json" | "merge" | "strategic" | "apply";

const types: Readonly<Record<string, PatchType>> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
};

/** PATCH of an object or of its status, by any of the four content types; 415 otherwise. */
export function patch(state: State, call: ObjectCall): Answer {
  const { resource, name, namespace } = call;
  const type = patchType(call);
  checkPatchOptions(call.query, type === "apply");
  if (type === "apply") return apply(state, call);
  const live = state.store.get(collectionOf(resource), keyOf(resource, namespace, name));
  if (!live) throw notFound(resource, name);
  const served = asServed(resource, live.object);
  const next = decodePatched(call, patched(call, type, served));
  return { type: "stored", status: 200, resource, stored: updateObject(state, call, live, next) };
}

/** The content type of a patch. Throws 415 for what is none, and for a strategic patch of a custom resource. */
export function patchType(call: ObjectCall): PatchType {
  const type = types[contentType(call)];
  if (!type) throw new StatusError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
  if (type === "strategic" && call.resource.custom) {
    const message =
      "the body of the request was in an unknown format - accepted media types include: " +
      "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
    throw new StatusError(415, "UnsupportedMediaType", message);
  }
  return type;
}

/** An object with the call's patch applied; `target` is not touched. */
export function patched(call: ObjectCall, type: Exclude<PatchType, "apply">, target: KubernetesObject): Fields {
  const document = parseJson(call.request.body ?? "");
  if (type === "json") return jsonPatch(target, document);
  if (type === "merge") return mergePatch(target, document);
  return strategicMerge(call.resource, target, document);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(`error decoding patch: ${error instanceof Error ? error.message : error}`);
  }
}

/** A patched object, typed again. Throws 422 for what its type cannot hold. */
export function decodePatched(call: ObjectCall, document: Fields): KubernetesObject {
  const { resource } = call;
  if (document.kind !== resource.kind || document.apiVersion !== resource.apiVersion) {
    throw unprocessablePatch(document, "the patch changes the kind or the version of the object");
  }
  try {
    const object = decode(call, resource, document);
    checkNames(call, object);
    return object;
  } catch (error) {
    if (error instanceof TypeMismatch) throw unprocessablePatch(document, error.message);
    throw error;
  }
}

/** Server-side apply: the only patch that creates what does not exist. */
function apply(state: State, call: ObjectCall): Answer {
  const { resource, name, namespace, subresource, query } = call;
  const applied = readApplied(call);
  const live = state.store.get(collectionOf(resource), keyOf(resource, namespace, name));
  if (!live && subresource) throw notFound(resource, name);
  const { object } = serverSideApply({
    resource,
    live: live && asServed(resource, live.object),
    applied,
    manager: call.manager,
    force: isTrue(query.get("force")),
    subresource,
    now: state.clock.now(),
  });
  const next = decodePatched(call, copyOf(object));
  if (live) return { type: "stored", status: 200, resource, stored: updateObject(state, call, live, next, true) };
  const { uid } = next.metadata;
  if (uid) {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict(resource, name, why);
  }
  authorize(state, call.user, attributesOf("create", call));
  return { type: "stored", status: 201, resource, stored: createObject(state, call, next, true) };
}

function readApplied({ request, resource, name }: ObjectCall): Fields {
  let document: unknown;
  try {
    const { parse }: typeof import("yaml") = require("yaml");
    document = parse(request.body ?? "");
  } catch (error) {
    throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : error}`);
  }
  if (!isFields(document)) throw badRequest("error decoding YAML: the body is no object");
  const { apiVersion = "", kind = "" } = document;
  if (apiVersion !== resource.apiVersion || kind !== resource.kind) {
    const given = `${apiVersion}`.includes("/") ? apiVersion : `/${apiVersion}`;
    throw badRequest(`invalid object type: ${given}, Kind=${kind}`);
  }
  const metadata = isFields(document.metadata) ? document.metadata : {};
  return { ...document, metadata: { ...metadata, name: metadata.name ?? name } };
}
