import type { Clock } from "../clock.ts";
import { withTimeout } from "../with-timeout.ts";
import { ApiError, type ApiFailure } from "./api-error.ts";
import type { ApiRequest, ApiResponse, Transport } from "./transport.ts";

type Request = Omit<ApiRequest, "signal">;

/** Sends a request and gives out the answer as it arrives. Every failure is an {@link ApiError}. */
export interface Call {
  text(request: Request): AsyncGenerator<string, void, undefined>;
  /** As bytes, where the transport has them. */
  bytes(request: Request): AsyncGenerator<string | Uint8Array, void, undefined>;
}

/**
 * Puts a deadline and one kind of error on a transport. The deadline, in milliseconds, counts the time that the server
 * takes for the whole answer, not what the reader does between its pieces.
 */
export function caller(transport: Transport, clock: Clock, deadline: number): Call {
  async function* answerTo<Piece>(request: Request, piecesOf: (response: ApiResponse) => AsyncIterable<Piece>) {
    const name = `${request.method} ${request.path}`;
    const { withTimeout, signal } = limit(clock, deadline);
    let chunks: AsyncIterator<Piece | string> | undefined;
    try {
      const response = await withTimeout(transport({ ...request, signal }));
      const refused = response.status >= 400;
      chunks = (refused ? response.body : piecesOf(response))[Symbol.asyncIterator]();
      let refusal = "";
      for (let next = await withTimeout(chunks.next()); !next.done; next = await withTimeout(chunks.next())) {
        if (refused) refusal += next.value;
        else yield next.value as Piece;
      }
      chunks = undefined;
      if (refused) throw new ApiError(name, failureOf(response, refusal));
    } catch (error) {
      if (error instanceof ApiError) throw error;
      const reason = signal.aborted ? "Timeout" : "Unreachable";
      const message = error instanceof Error ? error.message : String(error);
      throw new ApiError(name, { status: 0, reason, message }, error);
    } finally {
      // Not waited for: a body that was left in the middle may have nothing more to say.
      chunks?.return?.().catch(() => {});
    }
  }
  return {
    text: (request) => answerTo(request, ({ body }) => body),
    bytes: (request) => answerTo<string | Uint8Array>(request, ({ body, bytes }) => bytes ?? body),
  };
}

interface Limit {
  readonly signal: AbortSignal;
  /** Waits for a step, but not longer than is left; then aborts the signal and rejects. */
  withTimeout<T>(step: Promise<T>): Promise<T>;
}

function limit(clock: Clock, deadline: number): Limit {
  const abort = new AbortController();
  let left = deadline;
  const late = () => {
    const error = new Error(`No answer within ${deadline} ms.`);
    abort.abort(error);
    return error;
  };
  return {
    signal: abort.signal,
    async withTimeout(step) {
      const since = clock.now();
      try {
        // A timer for each step: one for all of them would keep every piece of the answer alive.
        return await withTimeout(clock, left, step, late);
      } finally {
        left -= clock.now() - since;
      }
    },
  };
}

/** Reads the server's `Status` object; a proxy in between may have answered something else. */
function failureOf(response: ApiResponse, text: string): ApiFailure {
  const { status } = response;
  const seconds = Number(response.headers["retry-after"]);
  const retry = Number.isFinite(seconds) && seconds > 0 ? { retryAfter: seconds * 1000 } : {};
  const said = readStatus(text);
  const { details } = said ?? {};
  if (status === 404 && (said?.kind !== "Status" || (details && !details.name)))
    return { status, reason: "NoSuchPath", message: `${text.slice(0, 100).trim()} (${strayAdvice})`, ...retry };
  // An admission plugin whose caches are not filled yet, for some seconds after the server's start. It is no refusal.
  if (status === 403 && said?.message?.endsWith("not yet ready to handle request"))
    return { status: 503, reason: "ServiceUnavailable", message: said.message, ...retry };
  return {
    status,
    reason: said?.reason || reasons[status] || "Unknown",
    message: said?.message ?? text.slice(0, 200),
    causes: details?.causes ?? [],
    ...retry,
  };
}

/** A kind that is not served, and anything between here and the API server, answer with a page. */
const strayAdvice =
  "this says nothing about the object: look whether the kind's definition is installed and serves this version, " +
  "and whether something between the function and the API server has answered";

interface Status {
  readonly kind?: string;
  readonly reason?: string;
  readonly message?: string;
  /** The API server names the object that it does not have. */
  readonly details?: { readonly name?: string; readonly causes?: [] };
}

function readStatus(text: string): Status | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === "object" && read !== null ? read : undefined;
  } catch {
    return undefined;
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
