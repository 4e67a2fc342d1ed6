import type { Step } from "../decision.ts";
import type { Progress } from "../progress.ts";
import { SystemError } from "../system/system-error.ts";

/** An external system that could not be asked. */
export interface Away {
  /** As people write it, for example `LINSTOR`. */
  readonly system: string;
  /** Whole sentences: what was asked, what was answered, and what to do where a person must act. */
  readonly message: string;
  /** It has answered, and does not let Holdfast in, or will not do what it was asked. A person must act. */
  readonly isRefusing?: boolean;
}

/**
 * What `read` reads, or which external system could not be asked.
 *
 * @throws what `read` throws, but for SystemError
 */
export async function orAway<T>(read: () => Promise<T>): Promise<{ readonly read: T } | { readonly away: Away }> {
  try {
    return { read: await read() };
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    const isRefusing = error.failure === "unauthorized" || error.failure === "refused";
    return { away: { system: error.system, message: error.message, isRefusing } };
  }
}

/**
 * The step in which an object waits for an external system, with the sentence that says which and since when, and when
 * to look again. `what` waits, as a sentence begins with it: `The evacuation`. The sentence stays as it was begun while
 * the same system is away, although its errors may differ: each change would be a write, which comes back
 * as an event. For the same reason the due time stays, and every tick of the sweep looks again. `before` is what is
 * written down. `now` is in milliseconds since the epoch, `again` in milliseconds.
 */
export function waitsFor(
  { system, message, isRefusing = false }: Away,
  what: string,
  before: Progress | undefined,
  now: number,
  again: number,
): { readonly message: string; readonly step: Step; readonly next: number } {
  const isSame = before?.step === "away" && before.system === system && typeof before.from === "string";
  const from = isSame ? (before.from as string) : new Date(now).toISOString();
  const begin = `${what} waits for ${system}, which has`;
  const state = isRefusing
    ? `not done what Holdfast asks since ${from}. ${what} goes on when ${system} does it`
    : `been away since ${from}. ${what} goes on when ${system} is back`;
  return {
    message: isSame && before.because.startsWith(begin) ? before.because : `${begin} ${state}. The reason: ${message}`,
    step: { name: "away", details: { system, from } },
    next: isSame && before.next ? Date.parse(before.next) : now + again,
  };
}
