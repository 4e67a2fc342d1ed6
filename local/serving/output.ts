import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

const kept = 12;
const longest = 200;

/**
 * Reads a process's streams line by line: JSON objects on standard output go to `onRecord`. Returns what asks for what
 * was said so far that may explain the end of the process: the last lines that were errors, or no log records.
 */
export function readOutput(
  stdout: Readable,
  stderr: Readable,
  onRecord: (record: Record<string, unknown>) => void,
): () => string {
  const lines: string[] = [];
  const remember = (line: string) => {
    if (line.trim() === "") return;
    // Node shows the source of a bundle that throws: one minified line of a megabyte.
    lines.push(line.length > longest ? `${line.slice(0, longest)} ...` : line);
    if (lines.length > kept) lines.shift();
  };
  createInterface({ input: stdout }).on("line", (line) => {
    const record = parseRecord(line);
    if (!record) return remember(line);
    onRecord(record);
    if (record.level === "error" && typeof record.msg === "string") remember(record.msg);
  });
  createInterface({ input: stderr }).on("line", remember);
  return () => lines.join("\n");
}

function parseRecord(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
