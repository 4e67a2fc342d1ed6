import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { wrap } from "../../../shared/terminal/wrap.ts";

/** The page of the documentation that shows the recordings. */
const page = join(import.meta.dirname, "../../../docs/tours.md");

/** A line that `npm start` has printed, and when, in seconds since its chapter began. */
interface Line {
  readonly at: number;
  readonly text: string;
}

/** Chapters of tours by their titles. */
type Recordings = ReadonlyMap<string, readonly Line[]>;

const isTitle = (line: string) => /^ \S.*\S $/.test(line);
/** What is another one in each run, and says nothing to a reader. */
const ids = / \[(?:uid|event|trace)[^\]]*\]$/;
const columns = 72;

/** Notes when each line of an output comes. `hear` takes the whole output so far. */
export function createRecorder(now: () => number = () => performance.now() / 1000) {
  const lines: Line[] = [];
  let heard = 0;
  return {
    hear(out: string) {
      const end = out.lastIndexOf("\n") + 1;
      for (const text of out.slice(heard, end).split("\n").slice(0, -1)) lines.push({ at: now(), text });
      heard = Math.max(heard, end);
    },
    recordings: (): Recordings => {
      const chapters = new Map<string, Line[]>();
      let [current, begun]: [Line[] | undefined, number] = [undefined, 0];
      for (const { at, text } of lines) {
        if (isTitle(text)) {
          [current, begun] = [[], at];
          chapters.set(text.trim(), current);
        } else current?.push({ at: at - begun, text: text.replace(ids, "").trimEnd() });
      }
      return chapters;
    },
  };
}

/** A recording as the page shows it: each line behind its time, and long lines broken. */
export const shown = (lines: readonly Line[]) =>
  lines
    .map(({ at, text }) => {
      const [, indent = "", rest = ""] = /^(\s*)(.*)$/.exec(text) ?? [];
      const broken = indent + wrap(rest, indent.length, columns);
      return broken
        .split("\n")
        .map((line, index) => `${index > 0 ? " ".repeat(9) : `${at.toFixed(1).padStart(7)} s`}  ${line}`.trimEnd())
        .join("\n");
    })
    .join("\n");

const blockOf = (title: string) => `## ${title}\n\n\`\`\`recording\n`;

/** Writes recordings into the page, in place of the former ones and in the order of the tours. */
export function writeRecordings(recordings: Recordings): void {
  const [head = ""] = readFileSync(page, "utf8").split(/^## /m);
  const sections = [...recordings].map(([title, lines]) => `${blockOf(title)}${shown(lines)}\n\`\`\`\n`);
  writeFileSync(page, [head.trimEnd(), "", ...sections].join("\n"));
}

/** The recordings on the page, as text, by the titles of their chapters. */
export function readRecordings(): ReadonlyMap<string, string> {
  const blocks = readFileSync(page, "utf8").matchAll(/^## (.+)\n\n```recording\n([\s\S]*?)^```$/gm);
  return new Map([...blocks].map(([, title = "", text = ""]) => [title, text]));
}

/**
 * What is the same in each run of a tour: its steps, their texts, and what came true, without times and without what
 * functions did beside.
 */
export function stepsIn(recording: string): readonly string[] {
  return recording
    .replaceAll(/\n {10,}/g, " ")
    .split("\n")
    .map((line) => line.slice(11))
    .filter((text) => /^(?:\d+\. | {3}\S)/.test(text))
    .map((text) => text.trim().replace(/ \(\d+\.\d s\)$/, ""));
}
