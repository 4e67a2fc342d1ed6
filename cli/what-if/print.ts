import type { Terminal } from "../../shared/terminal/terminal.ts";
import { wrap } from "../../shared/terminal/wrap.ts";
import { when } from "../output/time.ts";
import type { NodePrediction } from "./machine.ts";
import type { PredictedClaim, Prediction } from "./prediction.ts";

const colours = { deleted: "red", kept: "green", stays: "yellow" } as const;
const fates = { deleted: "Data deleted", kept: "Data kept", stays: "Data stays" } as const;

/** Prints what a change would do: what goes, what stays, and what else is to be known. */
export function printPrediction(prediction: Prediction | NodePrediction, now: number, out: Terminal): void {
  const line = (indent: number, text: string) => out.print(" ".repeat(indent) + wrap(text, indent, out.width));
  const { change, claims, notes, gaps } = prediction;
  line(0, out.paint("bold", `${change}:`));
  for (const one of claims.filter(({ goes }) => goes)) printGoing(one, now, line, out);
  for (const { claim, because } of claims.filter(({ goes }) => !goes))
    line(2, `${out.paint("green", "stays")} ${claim}. ${because}`);
  if ("localVolumes" in prediction) printNode(prediction, line, out);
  else if (claims.length === 0) line(2, "No claim is touched by it.");
  for (const note of notes) line(2, note);
  for (const gap of gaps) line(0, `${out.paint("yellow", "Not known:")} ${gap}`);
  line(0, "Nothing was done.");
}

type Line = (indent: number, text: string) => void;

function printGoing({ claim, because, waitsFor, volume }: PredictedClaim, now: number, line: Line, out: Terminal) {
  line(2, `${out.paint("red", "goes")}  ${claim}. ${because}`);
  for (const sentence of waitsFor) line(8, sentence);
  if (!volume) return line(8, "It has no volume.");
  const until = volume.until ? ` (${when(volume.until, now)})` : "";
  const title = volume.fate === "kept" ? "" : `Volume ${volume.volume}. `;
  line(8, `${out.paint(colours[volume.fate], fates[volume.fate])}${until}: ${title}${volume.because}`);
}

function printNode({ localVolumes, copies }: NodePrediction, line: Line, out: Terminal) {
  for (const volume of localVolumes)
    line(2, `${out.paint("red", "goes")}  Volume ${volume}: no other Node can reach its storage.`);
  for (const { name, elsewhere } of copies ?? [])
    line(
      2,
      elsewhere.length > 0
        ? `${out.paint("yellow", "copy")}  ${name}: good copies stay on ${elsewhere.join(", ")}.`
        : `${out.paint("red", "last")}  ${name}: no other node that is online has a good copy.`,
    );
  if (localVolumes.length + (copies?.length ?? 0) === 0) line(2, "No data that is known is on it alone.");
}
