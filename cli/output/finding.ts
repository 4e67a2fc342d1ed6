import type { Terminal } from "../../shared/terminal/terminal.ts";
import { wrap } from "../../shared/terminal/wrap.ts";
import { exitCode } from "../exit-code.ts";

/** Something that is not as it should be; whole sentences. */
export interface Finding {
  readonly what: string;
  /** What a person does about it, or how to look further. */
  readonly todo: string;
}

/** An answer that rests on findings, and on what could not be found out. */
export interface Findings {
  readonly findings: readonly Finding[];
  readonly gaps: readonly string[];
}

/** Prints findings with numbers, and then what is not known. */
export function printFindings({ findings, gaps }: Findings, out: Terminal): void {
  if (findings.length > 0) out.print(`\n${out.paint("bold", "What to do:")}`);
  for (const [index, { what, todo }] of findings.entries()) {
    const number = `${index + 1}. `;
    out.print(out.paint("red", number) + wrap(what, number.length, out.width));
    out.print(`${" ".repeat(number.length)}${wrap(todo, number.length, out.width)}`);
  }
  for (const gap of gaps) out.print(wrap(`${out.paint("yellow", "Not known:")} ${gap}`, 0, out.width));
}

/** Bad where anything was found, even if not all could be looked at. */
export function codeOf({ findings, gaps }: Findings): number {
  if (findings.length > 0) return exitCode.bad;
  return gaps.length > 0 ? exitCode.unknown : exitCode.good;
}
