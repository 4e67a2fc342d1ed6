import type { HttpRequest, HttpResponse } from "../../../shared/http-message.ts";

/** One process of a function. It can be killed at any await; nothing of it goes on after that. */
export interface Process {
  /** `release.2`, for people. */
  readonly name: string;
  readonly rule: string;
  /** Whether it was started to be beside another one that is at work on the same event. */
  readonly company: boolean;
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds by which its clock is off. */
  readonly skew: number;
  /** What it was answered by the API server, as text: what it can have known when it wrote. */
  readonly knows: { includes(text: string): boolean };
  readonly alive: boolean;
  handle(request: HttpRequest): Promise<HttpResponse>;
  /** A client that waits for an answer of it sees a broken connection. */
  kill(): void;
}
