/** What a minion returned for a job, as Salt keeps it. */
export interface JobReturn {
  /** The function's value; of what did not come to that a text or a list of texts. */
  readonly return: unknown;
  readonly retcode: number;
  readonly success: boolean;
}

/**
 * How a job ended.
 *
 * - `success`: `value` is what was returned
 * - `conflict`: nothing was done, because another job has been working for the same Volume; to be tried again, and no
 *   failed attempt
 * - `failure`: `message` is the cause, in the minion's own words
 */
export type JobOutcome =
  | { readonly end: "success"; readonly value: unknown }
  | { readonly end: "conflict"; readonly message: string }
  | { readonly end: "failure"; readonly message: string };

/** Reads a job's outcome from its return alone. A function that raised has code 1, and its text after `ERROR:`. */
export function outcomeOf({ return: returned, retcode, success }: JobReturn): JobOutcome {
  if (retcode === 0 && success) return { end: "success", value: returned };
  const message = shortened(textOf(returned) ?? `It failed with code ${retcode}.`);
  return busy.test(message)
    ? { end: "conflict", message: `A${message.slice("ERROR: a".length)}.` }
    : { end: "failure", message };
}

/** What `metalk8s_volumes` says when another process on the node does not let go of its lock in time. */
const busy = /^ERROR: another run has been working on /;

/** What a person can read of a return that is no map of states. */
function textOf(returned: unknown): string | undefined {
  if (typeof returned === "string") return returned.trim() || undefined;
  if (Array.isArray(returned))
    return (
      returned
        .map((line) => textOf(line) ?? "")
        .join(" ")
        .trim() || undefined
    );
  // A function that returns a map with `success: false` has failed, by Salt's own convention.
  if (isMap(returned)) return textOf(returned.result ?? returned.comment) ?? JSON.stringify(returned);
  return undefined;
}

/** A program may have said a lot; a condition's message should still be readable. */
const longest = 1000;
const shortened = (text: string) => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
