/** A failure as the API server words it: becomes a `Status` object on the wire. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly status: number;
  readonly reason: string;
  readonly details: Record<string, unknown> | undefined;

  /** `status` is the HTTP code; `reason` the machine-readable word (`NotFound`, `Conflict`, `Invalid`, ...). */
  constructor(status: number, reason: string, message: string, details?: Record<string, unknown>) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.details = details;
  }
}
