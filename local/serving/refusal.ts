import type { HttpResponse } from "../../shared/http-message.ts";

/** Knative's own answer in place of the function's. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly answer: HttpResponse;

  constructor(status: 502 | 503 | 504, message: string) {
    super(message);
    this.answer = { status, headers: { "content-type": "text/plain; charset=utf-8" }, body: message };
  }
}
