import type { Terminal } from "../../shared/terminal/terminal.ts";
import { wrap } from "../../shared/terminal/wrap.ts";
import { elsewhere } from "../cluster/cluster-options.ts";
import { when } from "../output/time.ts";
import type { Explanation } from "./explain.ts";
import type { Content } from "./namespace-content.ts";
import type { Word } from "./word.ts";

/** Prints an explanation for people: what holds the object, what each rule says of it, and what is not known. */
export function printExplanation(
  explanation: Explanation,
  now: number,
  out: Terminal,
  installNamespace?: string,
): void {
  const { object, page, deletedSince, holds, words, unexplained, content, gaps } = explanation;
  const line = (indent: number, text: string) => out.print(" ".repeat(indent) + wrap(text, indent, out.width));
  const state = deletedSince ? `is being deleted since ${when(deletedSince, now)}.` : "is not being deleted.";
  line(0, `${out.paint("bold", object)} ${state} ${held(holds, deletedSince !== undefined)}`);
  for (const { finalizer, owner, until } of holds) {
    out.print("");
    line(2, out.paint("bold", finalizer));
    line(4, `Removed by ${owner}. ${until}`);
  }
  if (words.length > 0) out.print(`\n${out.paint("bold", "What the rules of Holdfast say:")}`);
  for (const word of words) {
    const [first = "", ...more] = sentencesOf(word, now);
    line(2, `${out.paint(word.isStuck ? "red" : "green", word.rule)} ${aboutAnother(word, object)}${first}`);
    for (const sentence of more) line(4, sentence);
  }
  if (unexplained > 0)
    line(
      0,
      `Rules look at ${unexplained} more ${unexplained === 1 ? "object" : "objects"} for it, which ` +
        `${unexplained === 1 ? "is" : "are"} not explained here. holdfast ` +
        `status${elsewhere(installNamespace)} names the objects that wait.`,
    );
  if (holds.length === 0 && words.length === 0) line(0, "No rule of Holdfast has anything to say about it.");
  if (content) printContent(content, line, out);
  // In one line: a terminal follows no address that is wrapped.
  if (page) out.print(`In the console: ${page}`);
  for (const gap of gaps) line(0, `${out.paint("yellow", "Not known:")} ${gap}`);
}

function held(all: Explanation["holds"], isDeleted: boolean): string {
  if (all.length === 0)
    return isDeleted ? "Nothing holds it: it is about to be deleted." : "No finalizer would hold it.";
  const hooks = all.filter(({ isHook }) => isHook).length;
  const what = [counted(all.length - hooks, "finalizer"), counted(hooks, "hook")].filter(Boolean).join(" and ");
  const does = isDeleted ? `${all.length === 1 ? "holds" : "hold"} it.` : "would hold it if it were deleted.";
  return `${what.slice(0, 1).toUpperCase()}${what.slice(1)} ${does}`;
}

const counted = (count: number, noun: string) =>
  count === 0 ? "" : `${count === 1 ? "one" : count} ${noun}${count === 1 ? "" : "s"}`;

const aboutAnother = ({ about }: Word, object: string) => (about === object ? "" : `(${about}) `);

/** What is said first, and then what is written down, unless it is the same. */
function sentencesOf(word: Word, now: number): readonly string[] {
  const { message, decision, written, away, difference, refused, unknown } = word;
  const does = decision === "write" || decision === "call" ? "It does this with its next event: " : "";
  return [
    ...(unknown === undefined ? [] : [`The rule cannot say how things stand now: ${unknown}`]),
    ...(message === undefined ? [] : [`${does}${message}`]),
    ...(refused ? [refused] : []),
    ...(difference ? [difference] : []),
    ...(written ? [asWritten(written, message, now)] : []),
    ...(away ? [away.because] : []),
  ];
}

function asWritten({ since, because, next }: NonNullable<Word["written"]>, message: string | undefined, now: number) {
  const cause = because === message ? "." : `: ${because}`;
  return `Written down since ${when(since, now)}${cause}${next ? ` The next look is due ${when(next, now)}.` : ""}`;
}

function printContent(content: Content, line: (indent: number, text: string) => void, out: Terminal): void {
  const { conditions, held, others } = content;
  out.print(`\n${out.paint("bold", "What is left in it:")}`);
  for (const { object, finalizers, until } of held) {
    line(2, `${out.paint("bold", object)} is held by ${finalizers.join(", ")}.`);
    for (const sentence of until) line(4, sentence);
  }
  if (others === 1) line(2, "One more object, which no finalizer holds: Kubernetes deletes it soon.");
  if (others > 1) line(2, `${others} more objects, which no finalizer holds: Kubernetes deletes them soon.`);
  if (held.length + others === 0) line(2, "Nothing that you may list.");
  for (const condition of conditions) line(2, `Kubernetes says: ${condition}`);
}
