import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { badRequest, forbidden, notFound, notImplemented } from "../failure.ts";
import { collectionOf } from "../kinds/table.ts";
import { jsonPatch } from "../patch/json.ts";
import { mergePatch } from "../patch/merge.ts";
import type { Answer } from "../request/answer.ts";
import type { Call, ObjectCall } from "../request/call.ts";
import { type State, timestamp } from "../state.ts";
import { StatusError } from "../status-error.ts";
import { createObject } from "../write/create.ts";
import { updateObject } from "../write/update.ts";
import { live } from "./get.ts";

function bodyOf(call: Call): unknown {
  try {
    return JSON.parse(call.request.body ?? "");
  } catch (error) {
    throw badRequest(`error decoding: ${error instanceof Error ? error.message : error}`);
  }
}

export function create(state: State, call: Call): Answer {
  if (call.subresource) throw notImplemented(`the subresource ${call.subresource}`);
  const { resource, namespace } = call;
  const object = bodyOf(call) as KubernetesObject;
  object.apiVersion = resource.apiVersion;
  object.kind = resource.kind;
  object.metadata ??= {} as KubernetesObject["metadata"];
  if (namespace) {
    object.metadata.namespace = namespace;
    const owner = state.store.get("/namespaces", namespace);
    if (!owner)
      throw notFound({ apiVersion: "v1", kind: "Namespace", plural: "namespaces", namespaced: false }, namespace);
    if (owner.object.metadata.deletionTimestamp) {
      throw forbidden(
        resource,
        object.metadata.name,
        `unable to create new content in namespace ${namespace} because it is being terminated`,
        [
          {
            reason: "NamespaceTerminating",
            message: `namespace ${namespace} is being terminated`,
            field: "metadata.namespace",
          },
        ],
      );
    }
  }
  return { type: "stored", status: 201, resource, stored: createObject(state, resource, object) };
}

export function update(state: State, call: ObjectCall): Answer {
  const before = live(state, call);
  const stored = updateObject(state, call.resource, before, bodyOf(call) as KubernetesObject);
  return { type: "stored", status: 200, resource: call.resource, stored };
}

export function patch(state: State, call: ObjectCall): Answer {
  const before = live(state, call);
  const body = bodyOf(call);
  const type = (call.request.headers["content-type"] ?? "").split(";")[0];
  const target = before.object as unknown as Record<string, unknown>;
  let next: Record<string, unknown>;
  if (type === "application/merge-patch+json") next = mergePatch(target, body);
  else if (type === "application/json-patch+json") next = jsonPatch(target, body);
  else throw new StatusError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
  const stored = updateObject(state, call.resource, before, structuredClone(next) as unknown as KubernetesObject);
  return { type: "stored", status: 200, resource: call.resource, stored };
}

export function remove(state: State, call: ObjectCall): Answer {
  const before = live(state, call);
  const { resource, name } = call;
  const object = structuredClone(before.object);
  if (object.metadata.finalizers?.length) {
    if (object.metadata.deletionTimestamp) return { type: "stored", status: 200, resource, stored: before };
    object.metadata.deletionTimestamp = timestamp(state);
    object.metadata.deletionGracePeriodSeconds = 0;
    return {
      type: "stored",
      status: 200,
      resource,
      stored: state.store.put(collectionOf(resource), before.key, object),
    };
  }
  state.store.remove(collectionOf(resource), before.key, object);
  const details = { name, kind: resource.plural, uid: object.metadata.uid };
  return {
    type: "object",
    status: 200,
    object: { kind: "Status", apiVersion: "v1", metadata: {} as never, status: "Success", details },
  };
}
