/**
 * - `unreachable`: no answer, half an answer, one that is not the system's (a proxy's page), or a failure of its own
 *   (5xx)
 * - `overloaded`: it asks to be left alone (429, 503 with `Retry-After`)
 * - `unauthorized`: it does not let us in, or not do this
 * - `refused`: it has understood, and will not do it however often it is asked
 */
export type SystemFailure = "unreachable" | "overloaded" | "unauthorized" | "refused";

/**
 * The one error that clients of external systems throw. An unreachable or overloaded system is answered with 503, so
 * that the broker tries again; an unauthorized or refused request is final, and a person must act.
 */
export class SystemError extends Error {
  override readonly name = "SystemError";
  /** The system as people write it, for example `Salt`. */
  readonly system: string;
  readonly failure: SystemFailure;
  /** Milliseconds that the system asks to be left alone. */
  readonly retryAfter: number | undefined;
  /** The system itself has answered, and nothing stands between: what was asked has no later effect. */
  readonly answered: boolean;
  /** No connection to the system came about: this request was surely not sent. */
  readonly unsent: boolean;

  /**
   * `message` is one or more whole sentences: what was asked, what was answered, and what to do where a person must
   * act.
   */
  constructor(
    system: string,
    failure: SystemFailure,
    message: string,
    options: {
      readonly retryAfter?: number;
      readonly answered?: boolean;
      readonly unsent?: boolean;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.system = system;
    this.failure = failure;
    this.retryAfter = options.retryAfter;
    this.answered = options.answered ?? false;
    this.unsent = options.unsent ?? false;
  }
}
