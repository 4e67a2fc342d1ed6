import { truncate } from "../../../../shared/truncate.ts";
import type { PropertyChanges } from "./client.ts";
import { describeEntry, type Entry } from "./entry.ts";
import type { LinstorNode } from "./node.ts";

/**
 * The property of a LINSTOR node that keeps what was warned of when it was called to evacuate that node: its answer
 * says once what cannot be moved, and nothing that is read later does.
 */
const answerKey = "Aux/holdfast.dev/evacuate-answer";
/** Of a property's value, which LINSTOR's database takes up to 4,096 characters of. */
const longest = 2000;

/** The change that keeps an answer's warnings and errors, by whichever code, and those without a message. */
export function keepAnswer(entries: readonly Entry[]): PropertyChanges {
  const worth = entries.filter(({ severity }) => severity === "warning" || severity === "error").map(describeEntry);
  return worth.length > 0 ? { set: { [answerKey]: truncate(worth.join("; "), longest) } } : forgetAnswer;
}

/** The change after which nothing is kept. */
export const forgetAnswer: PropertyChanges = { remove: [answerKey] };

/** What is kept, in LINSTOR's words. */
export function keptAnswer({ props }: LinstorNode): readonly string[] {
  const text = props[answerKey];
  return text ? [text] : [];
}
