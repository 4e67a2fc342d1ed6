import type { ZodType } from "zod";
import type { Exchange } from "../../../../shared/system/exchange.ts";
import { SystemError } from "../../../../shared/system/system-error.ts";
import type { SystemRequest, SystemResponse } from "../../../../shared/system/transport.ts";
import { type Entry, entries, isLinstorError, LinstorError } from "./answer.ts";

export interface Caller {
  /** GETs and parses. */
  read<T>(path: string, shape: ZodType<T>): Promise<T>;
  /**
   * The same, with `undefined` when LINSTOR says that there is no such thing, by an error with the code `absent`; a 404
   * for any other reason is an error.
   */
  find<T>(path: string, shape: ZodType<T>, absent: number): Promise<T | undefined>;
  /**
   * Sends a command, and gives out LINSTOR's entries, warnings among them, when none is an error. That proves nothing
   * about what has come of it: read afterwards.
   *
   * @throws LinstorError with all entries when one of them is an error.
   */
  write(method: "POST" | "PUT" | "DELETE", path: string, body?: object): Promise<readonly Entry[]>;
}

/** Speaks LINSTOR's dialect of HTTP: `reads` and `writes` have deadlines of their own, because commands take longer. */
export function caller(reads: Exchange, writes: Exchange): Caller {
  async function send(exchange: Exchange, method: SystemRequest["method"], path: string, body?: object) {
    const response = await exchange({
      method,
      path,
      // LINSTOR refuses a body that is not announced as JSON, with 500 and "HTTP 415" in the details.
      headers: { accept: "application/json", ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { response, request: `${method} ${path.split("?")[0]}` };
  }

  async function read<T>(path: string, shape: ZodType<T>): Promise<T> {
    const { response, request } = await send(reads, "GET", path);
    const value = jsonOf(response, request);
    if (response.status !== 200) throw new LinstorError(request, response.status, entriesOf(value, response, request));
    const parsed = shape.safeParse(value);
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    throw strange(request, `${issue?.path.join(".") || "the answer"}: ${issue?.message}`, parsed.error);
  }

  return {
    read,

    find: (path, shape, absent) =>
      read(path, shape).catch((error) => {
        if (isLinstorError(error, absent)) return undefined;
        throw error;
      }),

    async write(method, path, body) {
      const { response, request } = await send(writes, method, path, body);
      const said = entriesOf(jsonOf(response, request), response, request);
      const failed = response.status >= 300 || said.some(({ severity }) => severity === "error");
      if (failed) throw new LinstorError(request, response.status, said);
      return said;
    },
  };
}

/** The answer's JSON; proxies, half answers and redirects end here. */
function jsonOf({ status, headers, body }: SystemResponse, request: string): unknown {
  if (status >= 300 && status < 400) {
    // With https on, the plain port answers 302 to every method.
    const to = headers.location ? ` to ${headers.location}` : "";
    const why = `LINSTOR redirects ${request}${to}, and a command is not sent twice.`;
    throw new SystemError(
      "LINSTOR",
      "refused",
      `${why} Name the address that LINSTOR serves, with https, in ${places}.`,
    );
  }
  if (status === 429 || status === 503) {
    const seconds = Number(headers["retry-after"]);
    const options = Number.isFinite(seconds) && seconds > 0 ? { retryAfter: seconds * 1000 } : {};
    throw new SystemError("LINSTOR", "overloaded", `LINSTOR answered ${request} with ${status}: try later.`, options);
  }
  try {
    return parseJson(body);
  } catch (cause) {
    if (status === 401 || status === 403) {
      const why = `LINSTOR answered ${request} with ${status}.`;
      throw new SystemError("LINSTOR", "unauthorized", `${why} Check the client certificate of the function.`, {
        cause,
      });
    }
    throw strange(request, `${status} with what is no JSON (${body.length} characters)`, cause);
  }
}

function entriesOf(value: unknown, { status }: SystemResponse, request: string): readonly Entry[] {
  const parsed = entries.safeParse(value);
  if (parsed.success) return parsed.data;
  throw strange(request, `${status} without LINSTOR's entries`, parsed.error);
}

/** Where the address of a LINSTOR is written. */
const places = "LINSTOR_URL, or in spec.externalController of the LinstorCluster";

function strange(request: string, what: string, cause: unknown): SystemError {
  const message =
    `The answer to ${request} is not LINSTOR's: ${what}. Check what answers at the address in ${places}, ` +
    `and between it and the function.`;
  return new SystemError("LINSTOR", "unreachable", message, { cause });
}

/**
 * Parses JSON without loss: whole numbers beyond 2^53 become bigints, everything else is as `JSON.parse` has it.
 * LINSTOR's `ret_code` is a signed 64-bit number of about 4.6e18 whose lowest bits are the code itself.
 *
 * @throws SyntaxError when the text is no JSON, for example half an answer.
 */
export function parseJson(text: string): unknown {
  // `context.source`, the number as it was written, is in Node since 22; TypeScript's types do not have it yet.
  const exact = (_key: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
      ? BigInt(context?.source as string)
      : value;
  return JSON.parse(text, exact);
}
