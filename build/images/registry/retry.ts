/** How often, and how long apart, something is tried that may go well later. */
export interface Patience {
  readonly tries: number;
  /** Milliseconds before the second try; doubled for each further one. */
  readonly pause: number;
  sleep(milliseconds: number): Promise<void>;
}

/** Longer than this nobody wants to wait for one request, whatever the registry asks for. Milliseconds. */
const longestPause = 30_000;

/** Milliseconds to wait after try number `tried` (from 1), with some chance in it, so that many clients do not return at once. */
export function pauseAfter(tried: number, { pause }: Patience, retryAfter?: string): number {
  const asked = Number(retryAfter) * 1000;
  if (asked > 0) return Math.min(asked, longestPause);
  return Math.min(pause * 2 ** (tried - 1), longestPause) * (0.75 + Math.random() / 2);
}

/** Statuses of a server that may be well again soon. */
export const isTransient = (status: number) => [408, 425, 429, 500, 502, 503, 504].includes(status);
