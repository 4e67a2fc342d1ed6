import { UserError } from "../../../shared/command/user-error.ts";
import type { Answer } from "./transport.ts";

/** How often, and how long apart, something is tried that may go well later. */
export interface Patience {
  readonly tries: number;
  /** Milliseconds before the second try; doubled for each further one. */
  readonly pause: number;
  sleep(milliseconds: number): Promise<void>;
}

/** The longest wait for one request, also if the registry asks for more. Milliseconds. */
const longestPause = 30_000;

/**
 * Milliseconds to wait after try number `tried` (from 1), with some chance in it, so that many clients do not return at
 * once.
 */
export function pauseAfter(tried: number, { pause }: Patience, retryAfter?: string): number {
  const asked = Number(retryAfter) * 1000;
  if (asked > 0) return Math.min(asked, longestPause);
  return Math.min(pause * 2 ** (tried - 1), longestPause) * (0.75 + Math.random() / 2);
}

/** Statuses of a server that may be well again soon. */
export const isTransient = (status: number) => [408, 425, 429, 500, 502, 503, 504].includes(status);

/**
 * Sends again until the answer is not one that may be another soon, or patience ends: then it is the last answer, or it
 * rejects with the last error. Complaints, and what `isFinal`, are rejected with at once.
 */
export async function persist(
  patience: Patience,
  attempt: () => Promise<Answer>,
  isFinal: (error: Error & { code?: string }) => boolean = () => false,
): Promise<Answer> {
  for (let tried = 1; ; tried++) {
    const last = tried === patience.tries;
    const answer = await attempt().catch((error: Error) => {
      if (last || error instanceof UserError || isFinal(error)) throw error;
    });
    if (answer && (last || !isTransient(answer.status))) return answer;
    await answer?.body.dump();
    await patience.sleep(pauseAfter(tried, patience, answer?.header("retry-after")));
  }
}
