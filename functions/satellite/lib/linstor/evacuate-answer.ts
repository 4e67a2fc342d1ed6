import { truncate } from "../../../../shared/truncate.ts";
import type { PropertyChanges } from "./client.ts";
import { describeEntry, type Entry } from "./entry.ts";
import type { LinstorNode } from "./node.ts";

/**
 * The property of a LINSTOR node that keeps what was warned of when it was called to evacuate that node: its answer
 * says once what cannot be moved, and nothing that is read later does.
 */
const answerKey = "Aux/holdfast.dev/evacuate-answer";
/** The property that keeps which call was answered last: when it was made, RFC 3339. */
const answeredKey = "Aux/holdfast.dev/evacuate-answered";
/** Of a property's value, which LINSTOR's database takes up to 4,096 characters of. */
const longest = 2000;

/**
 * The change that keeps that a call was answered, with the warnings and errors of the answer, by whichever code, and
 * those without a message. `called` is when the call was made, RFC 3339.
 */
export function keepAnswer(entries: readonly Entry[], called: string): PropertyChanges {
  const worth = entries.filter(({ severity }) => severity === "warning" || severity === "error").map(describeEntry);
  const answered = { [answeredKey]: called };
  return worth.length > 0
    ? { set: { ...answered, [answerKey]: truncate(worth.join("; "), longest) } }
    : { set: answered, remove: [answerKey] };
}

/** The change after which nothing is kept. */
export const forgetAnswer: PropertyChanges = { remove: [answerKey, answeredKey] };

/** What is kept, in LINSTOR's words. */
export function keptAnswer({ props }: LinstorNode): readonly string[] {
  const text = props[answerKey];
  return text ? [text] : [];
}

/**
 * When the call was made that LINSTOR has answered last, in milliseconds since the epoch: that call is no longer being
 * carried out, and the copies that it makes are listed. `undefined` while no answer is known.
 */
export function answeredCall({ props }: LinstorNode): number | undefined {
  const time = Date.parse(props[answeredKey] ?? "");
  return Number.isNaN(time) ? undefined : time;
}
