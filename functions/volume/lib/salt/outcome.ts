/** What a minion returned for a job, as Salt keeps it. */
export interface JobReturn {
  /** Of a function its value; of state.sls a map of states; of what did not come to that a text or a list of texts. */
  readonly return: unknown;
  readonly retcode: number;
  readonly success: boolean;
}

/** One state of a run of state.sls. */
export interface StateResult {
  readonly id: string;
  readonly comment: string;
  readonly changes: unknown;
}

/**
 * How a job ended.
 *
 * - `success`: `value` is what was returned; of a run of states, `states` has them in the order in which they ran
 * - `conflict`: nothing was run, because the minion runs other states; to be tried again later, and no failed attempt
 * - `failure`: `because` is the first cause, in the minion's own words
 */
export type JobOutcome =
  | { readonly end: "success"; readonly value: unknown; readonly states: readonly StateResult[] }
  | { readonly end: "conflict"; readonly because: string }
  | { readonly end: "failure"; readonly because: string };

/**
 * Reads a job's outcome from its return alone. A return code of 1 says nothing by itself: a conflict has it, and so
 * have an SLS that is missing or does not render, and a function that raised. A code of 0 does not mean that anything
 * was done, either: states run with `test: true`, which a minion may have in its configuration, have `null` for a
 * result.
 */
export function outcomeOf({ return: returned, retcode, success }: JobReturn): JobOutcome {
  const conflict = conflictIn(returned);
  if (retcode !== 0 && conflict) return { end: "conflict", because: shortened(conflict) };
  const states = statesIn(returned);
  const undone = states && rootCause(states);
  if (retcode === 0 && success && !undone)
    return { end: "success", value: returned, states: (states ?? []).map(result) };
  return { end: "failure", because: shortened(undone ?? textOf(returned) ?? `It failed with code ${retcode}.`) };
}

/** The sentence by which a minion says that it runs states already; of which function they are differs. */
const running = /^The function "state\.\w+" is running as PID \d+/;

function conflictIn(returned: unknown): string | undefined {
  if (!Array.isArray(returned) || returned.length === 0) return undefined;
  return returned.every((line) => typeof line === "string" && running.test(line)) ? returned.join(" ") : undefined;
}

interface RanState {
  readonly key: string;
  readonly entry: Readonly<Record<string, unknown>>;
}

/**
 * The states of a run in their order; `undefined` for what is no map of states. Their keys are
 * `<module>_|-<id>_|-<name>_|-<function>`.
 */
function statesIn(returned: unknown): readonly RanState[] | undefined {
  if (!isMap(returned)) return undefined;
  const states = Object.entries(returned).map(([key, entry]) => ({ key, entry: isMap(entry) ? entry : {} }));
  if (!states.some(({ key }) => key.split("_|-").length === 4)) return undefined;
  const place = ({ entry }: RanState) => Number(entry.__run_num__ ?? Number.POSITIVE_INFINITY);
  return states.toSorted((a, b) => Math.sign(place(a) - place(b)) || 0);
}

/**
 * Why a run of states is no success: the first that failed by itself, else the first that is not known to have been
 * done.
 */
function rootCause(states: readonly RanState[]): string | undefined {
  const undone = states.filter(({ entry }) => entry.result !== true);
  const failed = undone.filter(({ entry }) => entry.result === false);
  const cause = failed.find((state) => !commentOf(state).startsWith("One or more requisite failed"));
  const first = cause ?? failed[0] ?? undone[0];
  if (!first) return undefined;
  const comment = commentOf(first);
  if (first.entry.result === null)
    return `State ${idOf(first)} was only tried (${comment}): the minion runs states in test mode.`;
  return comment || `State ${idOf(first)} failed without a comment.`;
}

const result = (state: RanState): StateResult => ({
  id: idOf(state),
  comment: commentOf(state),
  changes: state.entry.changes,
});

const idOf = ({ key, entry }: RanState) =>
  typeof entry.__id__ === "string" ? entry.__id__ : (key.split("_|-")[1] ?? key);

const commentOf = ({ entry }: RanState) => textOf(entry.comment) ?? "";

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

/** A rendering error comes with the whole template; a condition's message should still be readable. */
const longest = 1000;
const shortened = (text: string) => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
