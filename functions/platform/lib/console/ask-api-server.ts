import type { ApiResponse, Transport } from "../../../../shared/kubernetes/transport.ts";
import { type AllowedRequest, isReview } from "./allowed-request.ts";
import { Refusal } from "./refusal.ts";

/** Milliseconds until an answer that is no watch has to be there as a whole. */
const patience = 60_000;

/** Bytes of an answer that is no watch, at most: 5,000 large claims are a third of it. */
export const largestAnswer = 32 * 1024 * 1024;

/**
 * Sends a request that may pass, and resolves with an answer that may pass.
 *
 * @throws Refusal with 502 when the API server does not answer, sends its client elsewhere, or says too much.
 */
export async function askApiServer(
  transport: Transport,
  { isWatch, ...request }: AllowedRequest,
  gone: AbortSignal,
): Promise<ApiResponse> {
  const signal = isWatch ? gone : AbortSignal.any([gone, AbortSignal.timeout(patience)]);
  let answer: ApiResponse;
  try {
    answer = await transport({ ...request, signal });
  } catch (cause) {
    // A write may have taken effect: pages send it once.
    const next = request.method === "GET" || isReview(request.path) ? " The console tries again by itself." : "";
    throw new Refusal(502, `The API server cannot be reached.${next}`, { cause });
  }
  const { status, headers } = answer;
  const fault =
    status < 200 || status >= 600 || (status >= 300 && status < 400)
      ? `The API server answers with ${status}, which the console does not follow. Is this the API server's address?`
      : !headers["content-encoding"] && Number(headers["content-length"]) > largestAnswer
        ? tooLarge
        : undefined;
  if (fault === undefined) return answer;
  await discard(answer);
  throw new Refusal(502, fault);
}

const tooLarge = `The answer of the API server is larger than ${largestAnswer / 2 ** 20} MiB. Ask for less at once.`;

/** The bytes of an answer as they come; ends with an error where there are more than an answer may have. */
export async function* limited({ bytes, body }: ApiResponse, limit: number): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of bytes ?? body) {
    const piece = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    length += piece.length;
    if (length > limit) throw new Refusal(502, tooLarge);
    yield piece;
  }
}

/** The whole of an answer of at most so many bytes. @throws Refusal where it has more */
export const textOf = async (answer: ApiResponse, limit: number): Promise<string> =>
  Buffer.concat(await Array.fromAsync(limited(answer, limit))).toString();

/** Ending the iteration early closes the connection. */
async function discard({ bytes, body }: ApiResponse): Promise<void> {
  await (bytes ?? body)[Symbol.asyncIterator]().return?.();
}
