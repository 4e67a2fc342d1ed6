import type { Clock } from "../../shared/clock.ts";
import type { ApiRequest, ApiResponse, Transport } from "../../shared/kubernetes/transport.ts";
import type { Random } from "../time/random.ts";
import { methodNotAllowed } from "./failure.ts";
import { createResourceTable } from "./kinds/table.ts";
import { itemJson, objectJson } from "./representation/represent.ts";
import type { Answer } from "./request/answer.ts";
import { callOf, type ObjectCall } from "./request/call.ts";
import { parsePath } from "./request/parse.ts";
import type { State } from "./state.ts";
import { StatusError } from "./status-error.ts";
import { createStore } from "./store/store.ts";
import { get } from "./verbs/get.ts";
import { list } from "./verbs/list.ts";
import { watch } from "./verbs/watch.ts";
import { create, patch, remove, update } from "./verbs/write.ts";
import { createObject } from "./write/create.ts";

export interface ApiServerOptions {
  clock: Clock;
  random: Random;
  /** How many events of each resource are remembered for watches and paged lists; 10,000 by default. */
  history?: number;
}

/** The laptop edition's Kubernetes API server, in process. */
export interface ApiServer {
  /** Answers one request; every HTTP status resolves. */
  readonly handle: Transport;
  /** Forgets the past, as etcd's compaction does: older watches and continue tokens answer 410. */
  compact(): void;
}

/** A server that holds nothing but the namespaces `default` and `kube-system`. */
export function createApiServer({ clock, random, history = 10_000 }: ApiServerOptions): ApiServer {
  const state: State = { clock, random, store: createStore(history), resources: createResourceTable() };
  for (const name of ["default", "kube-system"]) createNamespace(state, name);
  return {
    handle: async (request) => {
      try {
        return encode(answer(state, request));
      } catch (error) {
        return failure(error);
      }
    },
    compact: () => state.store.compact(),
  };
}

function createNamespace(state: State, name: string): void {
  const resource = state.resources.find("", "v1", "namespaces")!;
  const labels = { "kubernetes.io/metadata.name": name };
  const metadata = { name, uid: "", resourceVersion: "", labels };
  createObject(state, resource, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata,
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active" },
  });
}

function answer(state: State, request: ApiRequest): Answer {
  const url = new URL(request.path, "http://localhost");
  const path = parsePath(url.pathname);
  if (!path) throw new StatusError(404, "NotFound", "404 page not found");
  const call = callOf(state, path, url.searchParams, request);
  switch (call.verb) {
    case "get":
      return get(state, call as ObjectCall);
    case "list":
      return list(state, call);
    case "watch":
      return watch(state, call);
    case "create":
      return create(state, call);
    case "update":
      return update(state, call as ObjectCall);
    case "patch":
      return patch(state, call as ObjectCall);
    case "delete":
      return remove(state, call as ObjectCall);
    default:
      throw methodNotAllowed();
  }
}

const json = { "content-type": "application/json" };

function encode(result: Answer): ApiResponse {
  switch (result.type) {
    case "lines":
      return { status: 200, headers: json, body: result.body };
    case "stored":
      return { status: result.status, headers: json, body: text(objectJson(result.resource, result.stored)) };
    case "object":
      return { status: result.status, headers: json, body: text(JSON.stringify(result.object)) };
    case "list": {
      const { resource, version, next, remaining, items } = result;
      const metadata = JSON.stringify({
        resourceVersion: String(version),
        continue: next,
        remainingItemCount: remaining,
      });
      const all = items.map((stored) => itemJson(resource, stored, "whole")).join(",");
      const body = `{"kind":"${resource.kind}List","apiVersion":"${resource.apiVersion}","metadata":${metadata},"items":[${all}]}`;
      return { status: 200, headers: json, body: text(body) };
    }
  }
}

function failure(error: unknown): ApiResponse {
  const known =
    error instanceof StatusError
      ? error
      : new StatusError(
          500,
          "InternalError",
          `Internal error occurred: ${error instanceof Error ? error.message : error}`,
        );
  const { status: code, reason, message, details } = known;
  const body = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, details, code };
  return { status: code, headers: json, body: text(JSON.stringify(body)) };
}

async function* text(body: string): AsyncGenerator<string> {
  yield body;
}
