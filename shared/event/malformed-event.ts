/** An event that cannot be used. Its message is the reply: what is wrong and, where it helps, what to change. */
export class MalformedEvent extends Error {
  override readonly name = "MalformedEvent";
  /** 400, or 415 for a content type that is not read; neither is retried by a broker. */
  readonly status: number;

  constructor(message: string, status = 400, cause?: unknown) {
    super(message, { cause });
    this.status = status;
  }
}
