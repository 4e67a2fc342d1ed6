import type { Terminal } from "../../shared/terminal/terminal.ts";
import { wrap } from "../../shared/terminal/wrap.ts";
import { printFindings } from "../output/finding.ts";
import { type Check, findingOf } from "./finding.ts";

/** Prints what was looked at: first what is well and what is worth knowing, then what is to be done. */
export function printChecks(checks: readonly Check[], gaps: readonly string[], out: Terminal): void {
  const bad = checks.flatMap(findingOf);
  for (const { what, why, todo, isNote } of checks) {
    if (isNote) out.print(`${out.paint("yellow", "note")}  ${wrap([what, why, todo].join(" "), 6, out.width)}`);
    else if (todo === undefined) out.print(`${out.paint("green", "ok")}    ${wrap(what, 6, out.width)}`);
  }
  printFindings({ findings: bad, gaps }, out);
  if (bad.length + gaps.length === 0) out.print("Nothing is in the way of an installation.");
}
