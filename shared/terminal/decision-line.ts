import { type Colour, row } from "./row.ts";
import type { Terminal } from "./terminal.ts";

/** A line that the kit logs: what a function decided, or why it could not. */
export type LogRecord = Readonly<Record<string, unknown>>;

/**
 * One decision: the rule, what it does, and why. On a terminal the sentence is wrapped, and the events and the object's
 * uid are left out; a pipe gets one line with everything.
 */
export function decisionLine(record: LogRecord, terminal: Pick<Terminal, "paint" | "width">): string {
  const rule = String(record.rule ?? "?").replace(/^.*\//, "");
  const failed = record.level === "error";
  const word = failed ? `${record.status ?? "error"}` : String(record.decision ?? record.level ?? "");
  const subject = typeof record.object === "string" ? shorten(record.object) : record.subject;
  const sentence = [subject === undefined ? "" : `${subject}:`, record.msg].filter(Boolean).join(" ");
  const trace = terminal.width === undefined ? traceOf(record) : "";
  return row(terminal, rule, word, failed ? "red" : (colours[word] ?? "dim"), sentence + trace);
}

const colours: Readonly<Record<string, Colour>> = {
  write: "green",
  call: "green",
  wait: "yellow",
  stop: "red",
  warn: "yellow",
};

/** `PersistentVolumeClaim shop/data` is `claim shop/data` to people. */
const shorten = (object: string) =>
  object
    .replace(/^PersistentVolumeClaim /, "claim ")
    .replace(/^Pod /, "pod ")
    .replace(/^StatefulSet /, "set ");

function traceOf({ events, uid }: LogRecord): string {
  const ids = Array.isArray(events) && events.length > 0 ? `, event ${events.join(", ")}` : "";
  return uid === undefined ? "" : ` [uid ${uid}${ids}]`;
}

/** Whether a JSON line is one of the kit's; others are shown as they are. */
export function isLogRecord(value: unknown): value is LogRecord {
  return typeof value === "object" && value !== null && "level" in value && "msg" in value;
}
