import { ApiError } from "../../shared/kubernetes/api-error.ts";
import { type Kind, pathOf } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { ApiResponse, Transport } from "../../shared/kubernetes/transport.ts";
import { linesOf } from "./lines.ts";

/** Which objects of a kind are listed or watched; all of them by default. */
export interface Selection {
  namespace?: string;
  labelSelector?: string;
  /** Only fields that the API server indexes for the kind. */
  fieldSelector?: string;
  /** Ask for `PartialObjectMetadata` instead of whole objects. */
  metadataOnly?: boolean;
}

export interface WatchOptions extends Selection {
  /** Where to start: changes after this version are sent. A version the server no longer has throws a 410. */
  resourceVersion: string;
  /** Seconds after which the server is asked to end the stream; its own default (half an hour and more) when absent. */
  timeoutSeconds?: number;
  signal?: AbortSignal;
}

/** One change as the API server sends it. A bookmark carries nothing but a newer resourceVersion. */
export interface WatchEvent<T extends KubernetesObject = KubernetesObject> {
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  object: T;
}

/**
 * Watches a kind: GET with `watch=1`, one JSON document a line, bookmarks asked for. Metadata-only objects carry the
 * kind asked for. Ends when the server ends the stream or `signal` aborts; leaving the loop early closes the response.
 * Throws an {@link ApiError}: what the server answered, an `ERROR` event as its Status says (410 `Expired` when the
 * version is too old), or status 0 `Unreachable`.
 */
export async function* watchEvents<T extends KubernetesObject>(
  transport: Transport,
  kind: Kind,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const { signal } = options;
  const path = `${pathOf(kind, options.namespace)}?${queryOf(options)}`;
  const call = `WATCH ${path}`;
  const accept = options.metadataOnly ? partialMetadata : "application/json";
  try {
    const response = await transport({ method: "GET", path, headers: { accept }, ...(signal ? { signal } : {}) });
    if (response.status >= 400) throw await refusal(call, response);
    for await (const line of linesOf(response.body)) {
      const event = parse(call, line);
      if (event.type === "ERROR") throw failure(call, event.object as unknown as Status, 500);
      yield (options.metadataOnly ? named(event, kind) : event) as WatchEvent<T>;
    }
  } catch (error) {
    if (signal?.aborted) return;
    if (error instanceof ApiError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new ApiError(call, { status: 0, reason: "Unreachable", message }, error);
  }
}

/** Metadata alone comes as `PartialObjectMetadata`; a reader wants to know of what. */
function named({ type, object }: { type: string; object: KubernetesObject }, { apiVersion, kind }: Kind) {
  return { type, object: { ...object, apiVersion, kind } };
}

const partialMetadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

interface Status {
  code?: number;
  reason?: string;
  message?: string;
}

function queryOf(options: WatchOptions): URLSearchParams {
  const { labelSelector, fieldSelector, timeoutSeconds, resourceVersion } = options;
  const query = new URLSearchParams({ watch: "1", allowWatchBookmarks: "true", resourceVersion });
  if (labelSelector) query.set("labelSelector", labelSelector);
  if (fieldSelector) query.set("fieldSelector", fieldSelector);
  if (timeoutSeconds) query.set("timeoutSeconds", String(timeoutSeconds));
  return query;
}

function parse(call: string, line: string): { type: string; object: KubernetesObject } {
  try {
    return JSON.parse(line);
  } catch (cause) {
    const message = `The stream carries no JSON: ${line.slice(0, 200)}`;
    throw new ApiError(call, { status: 0, reason: "Unreadable", message }, cause);
  }
}

async function refusal(call: string, response: ApiResponse): Promise<ApiError> {
  let text = "";
  for await (const chunk of response.body) text += chunk;
  try {
    return failure(call, JSON.parse(text) as Status, response.status);
  } catch {
    return failure(call, { message: text.slice(0, 200) }, response.status);
  }
}

function failure(call: string, status: Status, fallback: number): ApiError {
  const code = status.code ?? fallback;
  const reason = status.reason ?? (code === 410 ? "Expired" : "Unknown");
  return new ApiError(call, { status: code, reason, message: status.message ?? "" });
}
