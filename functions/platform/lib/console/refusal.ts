/** A request that the console itself refuses, as HTTP says it. The message is a sentence for the person who asked. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  /** The value of `set-cookie` that goes with it. */
  readonly cookie: string | undefined;

  constructor(
    status: number,
    message: string,
    { cookie, cause }: { cookie?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.status = status;
    this.cookie = cookie;
  }
}
