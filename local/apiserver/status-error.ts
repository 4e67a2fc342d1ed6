/** A failure as the API server words it: becomes a `Status` object on the wire. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly status: number;
  readonly reason: string;
  readonly details: Record<string, unknown> | undefined;
  readonly metadata: Record<string, unknown>;

  /**
   * `status` is the HTTP code; `reason` the machine-readable word (`NotFound`, `Conflict`, `Invalid`, ...); `metadata`
   * carries the token with which an expired list could go on.
   */
  constructor(
    status: number,
    reason: string,
    message: string,
    details?: Record<string, unknown>,
    metadata: Record<string, unknown> = {},
  ) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.details = details;
    this.metadata = metadata;
  }
}
