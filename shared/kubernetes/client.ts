import { type Clock, systemClock } from "../clock.ts";
import { ApiError, type ApiFailure, isNotFound } from "./api-error.ts";
import { type Kind, pathOf } from "./kind.ts";
import type { KubernetesObject } from "./object.ts";
import type { ApiRequest, ApiResponse, Transport } from "./transport.ts";

/** What narrows a list. `fieldSelector` knows only the fields that the API server indexes for the kind. */
export interface ListOptions {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** Objects per page; 250 by default. */
  pageSize?: number;
  /** Ask for `PartialObjectMetadata`: metadata alone, a fraction of the bytes. */
  metadataOnly?: boolean;
}

/** How a patch is to be applied; the content type is always sent explicitly. */
export type PatchType = "json" | "merge" | "strategic" | "apply";

export interface PatchOptions {
  subresource?: string;
  fieldManager?: string;
  /** Server-side apply only: take over fields that another manager holds. */
  force?: boolean;
}

export interface DeleteOptions {
  uid?: string;
  resourceVersion?: string;
  gracePeriodSeconds?: number;
  propagationPolicy?: "Foreground" | "Background" | "Orphan";
}

/** The Kubernetes client of the functions: raw JSON in and out, so that no unknown field is ever dropped. */
export interface Client {
  /** A consistent read. `undefined` when the object does not exist. */
  get<T extends KubernetesObject>(
    kind: Kind,
    namespace: string | undefined,
    name: string,
    options?: { metadataOnly?: boolean },
  ): Promise<T | undefined>;
  /**
   * A consistent list (no resourceVersion), page after page; stop iterating to stop reading. All pages show one
   * moment. A continue token that expired throws the 410 as {@link ApiError}: a list cut in half proves nothing.
   */
  list<T extends KubernetesObject>(kind: Kind, options?: ListOptions): AsyncIterable<T>;
  create<T extends KubernetesObject>(kind: Kind, object: T, options?: { fieldManager?: string }): Promise<T>;
  /** `undefined` when the object does not exist (any more). */
  patch<T extends KubernetesObject>(
    kind: Kind,
    namespace: string | undefined,
    name: string,
    type: PatchType,
    patch: unknown,
    options?: PatchOptions,
  ): Promise<T | undefined>;
  /** `false` when the object does not exist (any more). */
  delete(kind: Kind, namespace: string | undefined, name: string, options?: DeleteOptions): Promise<boolean>;
  /** Any other call: subresources such as `binding` and `token`, non-resource paths. */
  request<T>(method: ApiRequest["method"], path: string, body?: unknown, headers?: Record<string, string>): Promise<T>;
}

const patchContentType: Record<PatchType, string> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};
const json = "application/json";
const metadataList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const metadataObject = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

export interface ClientOptions {
  clock?: Clock;
  /** Milliseconds until a call without an answer fails with status 0 and reason `Timeout`; 30,000 by default. */
  deadline?: number;
  /** Headers on every request, for example `authorization` against the laptop edition. */
  headers?: Record<string, string>;
}

/** Builds a client over any {@link Transport}. Every failure of every method is an {@link ApiError}. */
export function createClient(transport: Transport, options: ClientOptions = {}): Client {
  const { clock = systemClock, deadline = 30_000, headers: common = {} } = options;

  async function call(request: Omit<ApiRequest, "signal">): Promise<{ response: ApiResponse; text: string }> {
    const name = `${request.method} ${request.path}`;
    const abort = new AbortController();
    const done = new AbortController();
    const timer = clock.sleep(deadline, done.signal).then(
      () => abort.abort(new Error(`No answer within ${deadline} ms.`)),
      () => {},
    );
    try {
      const response = await Promise.race([
        transport({ ...request, headers: { ...common, ...request.headers }, signal: abort.signal }),
        aborted(abort.signal),
      ]);
      const text = await Promise.race([readAll(response.body), aborted(abort.signal)]);
      if (response.status >= 400) throw new ApiError(name, failureOf(response, text));
      return { response, text };
    } catch (error) {
      if (error instanceof ApiError) throw error;
      const timedOut = abort.signal.aborted;
      const message = error instanceof Error ? error.message : String(error);
      throw new ApiError(name, { status: 0, reason: timedOut ? "Timeout" : "Unreachable", message }, error);
    } finally {
      done.abort();
      await timer;
    }
  }

  async function send<T>(
    method: ApiRequest["method"],
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<T> {
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const { text } = await call({
      method,
      path,
      headers: { accept: json, ...(body === undefined ? {} : { "content-type": json }), ...headers },
      ...content,
    });
    return parse<T>(`${method} ${path}`, text);
  }

  const absentWhenNotFound = (error: unknown): undefined => {
    if (isNotFound(error)) return undefined;
    throw error;
  };

  return {
    request: send,
    get: async <T extends KubernetesObject>(
      kind: Kind,
      namespace: string | undefined,
      name: string,
      { metadataOnly = false } = {},
    ) => {
      const accept = metadataOnly ? metadataObject : json;
      const object = await send<T>("GET", pathOf(kind, namespace, name), undefined, { accept }).catch(
        absentWhenNotFound,
      );
      // Metadata alone comes as `PartialObjectMetadata`; a reader wants to know of what.
      return object && metadataOnly ? { ...object, apiVersion: kind.apiVersion, kind: kind.kind } : object;
    },

    async *list<T extends KubernetesObject>(kind: Kind, options: ListOptions = {}) {
      const { namespace, labelSelector, fieldSelector, pageSize = 250, metadataOnly } = options;
      let token: string | undefined;
      do {
        const query = new URLSearchParams({ limit: String(pageSize) });
        if (labelSelector) query.set("labelSelector", labelSelector);
        if (fieldSelector) query.set("fieldSelector", fieldSelector);
        if (token) query.set("continue", token);
        const page: { items: T[] | null; metadata: { continue?: string } } = await send(
          "GET",
          `${pathOf(kind, namespace)}?${query}`,
          undefined,
          { accept: metadataOnly ? metadataList : json },
        );
        // Items of a list carry neither apiVersion nor kind.
        for (const item of page.items ?? []) yield { ...item, apiVersion: kind.apiVersion, kind: kind.kind } as T;
        token = page.metadata.continue;
      } while (token);
    },

    create: (kind, object, options = {}) =>
      send("POST", `${pathOf(kind, object.metadata.namespace)}${queryOf(options)}`, object),

    patch: (kind, namespace, name, type, patch, { subresource, ...options } = {}) =>
      send<never>("PATCH", `${pathOf(kind, namespace, name, subresource)}${queryOf(options)}`, patch, {
        "content-type": patchContentType[type],
      }).catch(absentWhenNotFound),

    delete: async (kind, namespace, name, options = {}) => {
      const { uid, resourceVersion, ...rest } = options;
      const preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
      const body = { apiVersion: "v1", kind: "DeleteOptions", preconditions, ...rest };
      const answer = await send("DELETE", pathOf(kind, namespace, name), body).catch(absentWhenNotFound);
      return answer !== undefined;
    },
  };
}

function queryOf(options: { fieldManager?: string; force?: boolean }): string {
  const query = new URLSearchParams();
  if (options.fieldManager) query.set("fieldManager", options.fieldManager);
  if (options.force) query.set("force", "true");
  return query.size ? `?${query}` : "";
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}

async function readAll(body: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const chunk of body) text += chunk;
  return text;
}

function parse<T>(call: string, text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    const message = `The answer is no JSON: ${text.slice(0, 200)}`;
    throw new ApiError(call, { status: 0, reason: "Unreadable", message }, cause);
  }
}

/** Reads the server's `Status` object; a proxy in between may have answered something else. */
function failureOf(response: ApiResponse, text: string): ApiFailure {
  const seconds = Number(response.headers["retry-after"]);
  const retry = Number.isFinite(seconds) && seconds > 0 ? { retryAfter: seconds * 1000 } : {};
  try {
    const status = JSON.parse(text) as { reason?: string; message?: string; details?: { causes?: [] } };
    return {
      status: response.status,
      reason: status.reason || reasons[response.status] || "Unknown",
      message: status.message ?? text.slice(0, 200),
      causes: status.details?.causes ?? [],
      ...retry,
    };
  } catch {
    const reason = reasons[response.status] ?? "Unknown";
    return { status: response.status, reason, message: text.slice(0, 200), ...retry };
  }
}

const reasons: Record<number, string> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  410: "Expired",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};
