/** Why a call to the API server did not succeed: the server's `Status` reason, or one of ours when it sent none. */
export interface ApiFailure {
  /** HTTP status; 0 when no answer came (refused, reset, deadline passed). */
  status: number;
  /**
   * `NotFound`, `NoSuchPath` (a 404 that is not the API server's word about an object), `AlreadyExists`, `Conflict`,
   * `Invalid`, `Forbidden`, `Expired`, `TooManyRequests`, `Timeout`, `Unreachable`, ...
   */
  reason: string;
  /** The server's message. */
  message: string;
  /** Milliseconds the server asked us to wait. */
  retryAfter?: number;
  /** `details.causes` of the server's Status. */
  causes?: { reason?: string; message?: string; field?: string }[];
}

/** The one error the client throws. Its message names the call and what the server said. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly reason: string;
  readonly retryAfter: number | undefined;
  readonly causes: NonNullable<ApiFailure["causes"]>;

  constructor(call: string, failure: ApiFailure, cause?: unknown) {
    const said = /[.!?]$/.test(failure.message) ? failure.message : `${failure.message}.`;
    super(`${call} failed with ${failure.status || "no answer"} ${failure.reason}: ${said}`, { cause });
    this.status = failure.status;
    this.reason = failure.reason;
    this.retryAfter = failure.retryAfter;
    this.causes = failure.causes ?? [];
  }
}

/** The API server has said that the object is not there. No other 404 says that: it proves nothing about the object. */
export const isGone = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status === 404 && error.reason === "NotFound";

/** The object is gone, or the kind is not served, or the server that answered does not know the path. */
export const isNotFound = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 404;

/** A list's continue token is older than what the server keeps: start the list again. */
export const isExpired = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 410;

/** A role, or admission, does not allow the call. */
export const isForbidden = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 403;

/**
 * The API server will not do it however often it is asked: a right is missing, what is asked is invalid, or a webhook
 * or a policy denies it, with a status of its choice. 401 is none: a token that was rotated mends itself.
 */
export const isRefused = (error: unknown): error is ApiError =>
  error instanceof ApiError &&
  error.status >= 400 &&
  error.status < 500 &&
  ![401, 404, 408, 409, 410, 429].includes(error.status) &&
  !isConflict(error);

/** A create found the name taken. */
export const isAlreadyExists = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.reason === "AlreadyExists";

/**
 * The object is not what was read: a stale resourceVersion (409), another uid (409 or 422), or a JSON Patch whose
 * `test` failed (422 without causes, which a validation error always has, and no webhook's denial). Fields that another
 * manager of server-side apply holds are none of this: reading again does not help.
 */
export const isConflict = (error: unknown): error is ApiError => {
  if (!(error instanceof ApiError)) return false;
  const { status, reason, causes } = error;
  if (isDenied(error)) return false;
  if (status === 409)
    return reason !== "AlreadyExists" && causes.every((cause) => cause.reason !== "FieldManagerConflict");
  if (status !== 422) return false;
  return causes.length === 0 || causes.some((cause) => cause.field === "metadata.uid");
};

/** A webhook has denied the request, with a status of its choice. */
export const isDenied = ({ message }: ApiError): boolean =>
  / admission webhook "[^"]*" denied the request/.test(message);

/** The API server answers, and a webhook does not answer it. */
export const isWebhookAway = ({ status, message }: ApiError): boolean =>
  status >= 500 && message.includes("failed calling webhook");
