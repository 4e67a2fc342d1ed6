import { type Clock, systemClock } from "../clock.ts";
import { ApiError, isGone } from "./api-error.ts";
import { caller } from "./call.ts";
import { type Kind, pathOf } from "./kind.ts";
import { type ListEnvelope, readLists } from "./list-items.ts";
import type { KubernetesObject } from "./object.ts";
import type { ApiRequest, Transport } from "./transport.ts";

/** What narrows a list. `fieldSelector` knows only the fields that the API server indexes for the kind. */
export interface ListOptions {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** Objects per page; 500 by default. */
  pageSize?: number;
  /** Ask for `PartialObjectMetadata`: metadata alone, a fraction of the bytes. */
  metadataOnly?: boolean;
  /**
   * Arrays that no rule reads, such as `metadata.managedFields`, by their paths of two names: they are given out empty.
   * The server sends them all the same, but what is not parsed costs neither time nor memory.
   */
  leaveOut?: readonly string[];
}

/** How a patch is to be applied; the content type is always sent explicitly. */
export type PatchType = "json" | "merge" | "strategic" | "apply";

/** `metadataOnly`: the answer is of no interest but for its metadata, which is a fraction of the bytes. */
export interface AnswerOptions {
  metadataOnly?: boolean;
}

export interface PatchOptions extends AnswerOptions {
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
    options?: AnswerOptions,
  ): Promise<T | undefined>;
  /**
   * A consistent list (no resourceVersion), page after page; stop iterating to stop reading. All pages show one
   * moment. A continue token that expired throws the 410 as {@link ApiError}: a list cut in half proves nothing.
   */
  list<T extends KubernetesObject>(kind: Kind, options?: ListOptions): AsyncIterable<T>;
  create<T extends KubernetesObject>(
    kind: Kind,
    object: T,
    options?: AnswerOptions & { fieldManager?: string },
  ): Promise<T>;
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

  const call = caller(transport, clock, deadline);

  async function send<T>(
    method: ApiRequest["method"],
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<T> {
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const type = body === undefined ? {} : { "content-type": json };
    let text = "";
    for await (const chunk of call.text({
      method,
      path,
      headers: { ...common, accept: json, ...type, ...headers },
      ...content,
    }))
      text += chunk;
    try {
      return JSON.parse(text) as T;
    } catch (error) {
      throw unreadable(`${method} ${path}`, error);
    }
  }

  const absentWhenGone = (error: unknown): undefined => {
    if (isGone(error)) return undefined;
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
      const object = await send<T>("GET", pathOf(kind, namespace, name), undefined, { accept }).catch(absentWhenGone);
      // Metadata alone comes as `PartialObjectMetadata`; a reader wants to know of what.
      return object && metadataOnly ? { ...object, apiVersion: kind.apiVersion, kind: kind.kind } : object;
    },

    async *list<T extends KubernetesObject>(kind: Kind, options: ListOptions = {}) {
      const { namespace, labelSelector, fieldSelector, pageSize = 500, metadataOnly, leaveOut } = options;
      const accept = metadataOnly ? metadataList : json;
      const list = readLists<T>(leaveOut);
      let token: string | undefined;
      do {
        const query = new URLSearchParams({ limit: String(pageSize) });
        if (labelSelector) query.set("labelSelector", labelSelector);
        if (fieldSelector) query.set("fieldSelector", fieldSelector);
        if (token) query.set("continue", token);
        const path = `${pathOf(kind, namespace)}?${query}`;
        const answer = call.bytes({ method: "GET", path, headers: { ...common, accept } });
        try {
          for await (const piece of answer) {
            list.take(piece);
            // Items of a list carry neither apiVersion nor kind.
            for (let item = list.next(); item; item = list.next())
              yield Object.assign(item, { apiVersion: kind.apiVersion, kind: kind.kind });
          }
          token = completed(list.end()).continue;
        } catch (error) {
          throw error instanceof SyntaxError ? unreadable(`GET ${path}`, error) : error;
        }
      } while (token);
    },

    create: (kind, object, { metadataOnly, ...options } = {}) =>
      send(
        "POST",
        `${pathOf(kind, object.metadata.namespace)}${queryOf(options)}`,
        object,
        metadataOnly ? { accept: metadataObject } : {},
      ),

    patch: (kind, namespace, name, type, patch, { subresource, metadataOnly, ...options } = {}) =>
      send<never>("PATCH", `${pathOf(kind, namespace, name, subresource)}${queryOf(options)}`, patch, {
        "content-type": patchContentType[type],
        ...(metadataOnly ? { accept: metadataObject } : {}),
      }).catch(absentWhenGone),

    delete: async (kind, namespace, name, options = {}) => {
      const { uid, resourceVersion, ...rest } = options;
      const preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
      const body = { apiVersion: "v1", kind: "DeleteOptions", preconditions, ...rest };
      const headers = { accept: metadataObject };
      const answer = await send("DELETE", pathOf(kind, namespace, name), body, headers).catch(absentWhenGone);
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

/** A gateway that answers 200 with something else must not look like a namespace in which there is nothing. */
function completed({ kind, items, metadata }: ListEnvelope): { continue?: string } {
  const isList = typeof kind === "string" && kind.endsWith("List") && (items === null || Array.isArray(items));
  if (!isList || typeof metadata?.resourceVersion !== "string")
    throw new SyntaxError("it is no list of the Kubernetes API");
  return metadata;
}

function unreadable(call: string, cause: unknown): ApiError {
  const message = `The answer cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`;
  return new ApiError(call, { status: 0, reason: "Unreadable", message }, cause);
}
