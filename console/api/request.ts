import { messageIn } from "../../functions/platform/lib/console/message-in.ts";

/** The API server, or the console's server before it, has refused a request. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "Refusal";
    this.status = status;
  }
}

/** No answer yet: the server, or what stands before it, is away or has too much to do. Another try is worth it. */
export class Away extends Error {
  override readonly name = "Away";
  /** Milliseconds until the next try, as the server asks for. */
  readonly wait: number;
  /** That of the answer, where there is one. */
  readonly status: number | undefined;

  constructor(message: string, { cause, wait = 0, status }: { cause?: unknown; wait?: number; status?: number } = {}) {
    super(message, { cause });
    this.wait = wait;
    this.status = status;
  }
}

/** Whether another try may have an answer: there was none, something may be mended, or a list took too long. */
export const isWorthAnotherTry = (error: Error): boolean =>
  error instanceof Away || (error instanceof Refusal && (error.status >= 500 || error.status === 410));

/** Milliseconds before another try: ever more, and at least what the server asks for. */
export const waitBefore = (attempt: number, error: Error): number =>
  Math.max(Math.min(500 * 2 ** attempt, 15_000), error instanceof Away ? error.wait : 0);

interface Options {
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
  readonly body?: unknown;
  /** `application/json` unless it says otherwise. */
  readonly type?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Called when the credential is not accepted any more. */
let onSignedOut = () => {};
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

/** The API server has refused the credential. */
export const saySignedOut = (): void => onSignedOut();

/**
 * One request to the console's server, with the answer that it gives; every status but 2xx is an error.
 *
 * @throws Refusal, Away, and the reason of an aborted signal
 */
export async function send(path: string, { method = "GET", body, type, signal }: Options = {}): Promise<Response> {
  const headers: Record<string, string> = { accept: "application/json" };
  // No form of another site can send this header, and none can be read without it: it shows that the page is ours.
  if (method !== "GET") headers["x-holdfast-console"] = "1";
  if (body !== undefined) headers["content-type"] = type ?? "application/json";
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers,
      credentials: "same-origin",
      redirect: "error",
      cache: "no-store",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    const advice = "If holdfast console has ended, start it, and open the address that it prints.";
    throw new Away(`The console's server does not answer. ${advice}`, { cause: error });
  }
  if (response.ok) return response;
  const { status } = response;
  const message = messageIn(await response.text().catch(() => "")) || `The server answered ${status}.`;
  if ([429, 502, 503, 504].includes(status))
    throw new Away(message, { status, wait: Number(response.headers.get("retry-after")) * 1_000 || 0 });
  if (status === 401 && !path.startsWith("/session")) saySignedOut();
  throw new Refusal(status, message);
}

/** The JSON of an answer of the API server. `path` begins with `/api` or `/apis`. Rejects as {@link ask} does. */
export const askCluster = <Answer>(path: string, request: Options = {}): Promise<Answer> =>
  ask<Answer>(`/cluster${path}`, request);

/**
 * One request to the console's server, with the JSON of its answer.
 *
 * @throws Refusal; Away, also where the connection breaks within the answer; SyntaxError where the answer is not JSON;
 * and the reason of an aborted signal
 */
export async function ask<Answer>(path: string, request: Options = {}): Promise<Answer> {
  const response = await send(path, request);
  try {
    return (await response.json()) as Answer;
  } catch (error) {
    if (request.signal?.aborted || error instanceof SyntaxError) throw error;
    throw new Away("The connection to the console's server broke within an answer.", { cause: error });
  }
}
