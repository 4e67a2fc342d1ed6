import type { Terminal } from "./terminal.ts";
import { wrap } from "./wrap.ts";

/** A line that the kit logs: what a function decided, or why it could not. */
export type LogRecord = Readonly<Record<string, unknown>>;

const nameWidth = 8;
const verdictWidth = 6;
const column = 2 + nameWidth + 1 + verdictWidth + 1;

/**
 * One decision on one line: the rule, what it does, and why. On a terminal the sentence is wrapped beside its column, and
 * the event and the object's uid are left out; a pipe gets them, too.
 */
export function decisionLine(record: LogRecord, { paint, width }: Pick<Terminal, "paint" | "width">): string {
  const rule = String(record.rule ?? "?").replace(/^.*\//, "");
  const failed = record.level === "error";
  const verdict = failed ? `${record.status ?? "error"}` : String(record.decision ?? record.level ?? "");
  const subject = typeof record.object === "string" ? shorten(record.object) : record.subject;
  const sentence = [subject === undefined ? "" : `${subject}:`, record.msg].filter(Boolean).join(" ");
  const trace = width === undefined ? traceOf(record) : "";
  const head = `  ${paint("bold", rule.padEnd(nameWidth))} ${paint(colour(failed, verdict), verdict.padEnd(verdictWidth))} `;
  return `${head}${wrap(sentence + trace, column, width)}`;
}

/** `PersistentVolumeClaim shop/data` is `claim shop/data` to people. */
const shorten = (object: string) => object.replace(/^PersistentVolumeClaim /, "claim ").replace(/^Pod /, "pod ");

function traceOf({ events, uid }: LogRecord): string {
  const ids = Array.isArray(events) && events.length > 0 ? `, event ${events.join(", ")}` : "";
  return uid === undefined ? "" : ` [uid ${uid}${ids}]`;
}

function colour(failed: boolean, verdict: string) {
  if (failed || verdict === "stop") return "red";
  if (verdict === "write" || verdict === "call") return "green";
  return verdict === "wait" ? "yellow" : "dim";
}

/** Whether a JSON line is one of the kit's; others are shown as they are. */
export function isLogRecord(value: unknown): value is LogRecord {
  return typeof value === "object" && value !== null && "level" in value && "msg" in value;
}
