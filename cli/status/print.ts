import type { Terminal } from "../../shared/terminal/terminal.ts";
import { wrap } from "../../shared/terminal/wrap.ts";
import { printFindings } from "../output/finding.ts";
import { when } from "../output/time.ts";
import type { SystemState } from "./functions.ts";
import type { Status } from "./status.ts";

const column = 16;

/** Prints a status for people; `wide`: with every function and every object that waits. */
export function printStatus(status: Status, now: number, out: Terminal, isWide: boolean): void {
  const row = (title: string, text: string, indent = 0) =>
    out.print(`${" ".repeat(indent)}${title.padEnd(column - indent)} ${wrap(text, column + 1, out.width)}`);
  const { systems = [], sources, sweep, deadLettered, waiting } = status;
  for (const system of systems) {
    row(system.system, summaryOf(system));
    if (isWide)
      for (const { name, version, image, unready } of system.functions) {
        const runs = version ? `version ${version}, ${image}` : image;
        out.print(`  ${wrap(`${name}, ${runs}: ${unready ?? "ready."}`, 4, out.width)}`);
      }
  }
  if (systems.length > 0) out.print("");
  if (sources) row("sources", readinessOf(sources));
  if (sweep) row("last sweep", sweep.last ? `${when(sweep.last, now)}. ${sweep.because}` : "none.");
  if (deadLettered) row("dead-lettered", countOf(deadLettered.events, now));
  if (waiting) row("objects", countsOf(waiting, now));
  if (isWide)
    for (const { object, rule, because, page } of waiting ?? []) {
      out.print(`  ${wrap(`${object} (${rule}): ${because}`, 4, out.width)}`);
      if (page) out.print(`    ${page}`);
    }
  printFindings(status, out);
  if (status.findings.length + status.gaps.length === 0) out.print(`\n${out.paint("green", "All is well.")}`);
}

function summaryOf({ functions, missing }: SystemState): string {
  const ready = functions.filter(({ unready }) => !unready).length;
  const all = functions.length + missing.length;
  const versions = [...new Set(functions.flatMap(({ version }) => version ?? []))];
  const of = versions.length > 0 ? `, version ${versions.join(" and ")}` : "";
  return `${ready} of ${all} functions can run${of}.`;
}

function readinessOf(sources: NonNullable<Status["sources"]>): string {
  const each = [...Map.groupBy(sources, ({ kind }) => kind)].map(([kind, of]) => {
    const ready = of.filter(({ unready }) => !unready).length;
    return `${kind} ${ready} of ${of.length}`;
  });
  return each.length > 0 ? `ready: ${each.join(", ")}.` : "none.";
}

function countOf(events: NonNullable<Status["deadLettered"]>["events"], now: number): string {
  const [newest, taken] = [events.at(-1), events.filter(({ isTaken }) => isTaken).length];
  if (!newest) return "none.";
  const since = taken > 0 ? ` The sweep has sent ${taken} of them again, and their functions took them.` : "";
  return `${events.length}, the newest ${when(newest.received, now)}.${since}`;
}

function countsOf(waiting: NonNullable<Status["waiting"]>, now: number): string {
  const stuck = waiting.filter(({ isStuck }) => isStuck).length;
  const [oldest] = waiting;
  if (!oldest) return "none waits.";
  return `${waiting.length} wait, ${stuck} of them stuck; the oldest since ${when(oldest.since, now)}.`;
}
