import type { Clock } from "../../shared/clock.ts";
import type { Terminal } from "../../shared/terminal/terminal.ts";
import { wrap } from "../../shared/terminal/wrap.ts";
import { aborted } from "../time/aborted.ts";

/** One scene of a tour: something is done, and then things come true. */
export interface Step {
  readonly title: string;
  readonly text: string;
  act(): Promise<void>;
  readonly proofs: readonly Proof[];
}

/** Scenes that show one thing together. */
export interface Chapter {
  readonly title: string;
  readonly steps: readonly Step[];
}

/** Something that must come true, as the API server shows it. */
export interface Proof {
  readonly what: string;
  /** Returns a truthy value once it is true; a text is shown beneath. */
  check(): Promise<unknown>;
  /** Milliseconds that it may take, where that is more than usual. */
  readonly patience?: number;
}

/** What a tour is played with. */
export interface PlayContext {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Milliseconds that a proof may take; 180,000 by default, for machines that are busy. */
  readonly patience?: number;
}

/**
 * Plays chapters and their steps one after the other, each proof with the time since its step began. Returns whether
 * all came true; ends with the first that did not. Rejects when `signal` aborts.
 */
export async function play(chapters: readonly Chapter[], context: PlayContext): Promise<boolean> {
  const { terminal } = context;
  const end = aborted(context.signal);
  for (const { title, steps } of chapters) {
    terminal.print("");
    terminal.print(terminal.paint("inverse", ` ${title} `));
    if (!(await playSteps(steps, context, end))) return false;
  }
  return true;
}

async function playSteps(steps: readonly Step[], context: PlayContext, end: Promise<never>): Promise<boolean> {
  const { terminal, clock } = context;
  for (const [index, step] of steps.entries()) {
    terminal.print("");
    terminal.print(terminal.paint("bold", `${index + 1}. ${step.title}`));
    terminal.print(`   ${wrap(step.text, 3, terminal.width)}`);
    const begun = clock.now();
    await step.act();
    for (const proof of step.proofs) {
      // Stand-ins that have ended do not answer any more.
      const result = await Promise.race([prove(proof, context), end]);
      const seconds = `${((clock.now() - begun) / 1000).toFixed(1)} s`;
      terminal.print(proofLine(terminal, proof.what, result, seconds));
      if (!result.came) return false;
    }
    // What functions did meanwhile is printed with this step, not with the next.
    await clock.sleep(afterglow, context.signal);
  }
  return true;
}

const afterglow = 300;

interface Result {
  readonly came: boolean;
  readonly detail?: string;
}

async function prove({ check, patience: own }: Proof, { clock, signal, patience }: PlayContext): Promise<Result> {
  const end = clock.now() + (own ?? patience ?? 180_000);
  for (;;) {
    signal.throwIfAborted();
    const result = await check();
    if (result) return { came: true, ...(typeof result === "string" ? { detail: result } : {}) };
    if (clock.now() > end) return { came: false };
    await clock.sleep(50, signal);
  }
}

function proofLine({ paint, width }: Terminal, what: string, { came, detail }: Result, seconds: string): string {
  const word = came ? paint("green", "ok") : paint("red", "no");
  const line = came ? `${what} (${seconds})` : `This did not come true within ${seconds}: ${what}.`;
  const more = detail ? `\n      ${paint("dim", wrap(detail, 6, width))}` : "";
  return `   ${word} ${wrap(line, 6, width)}${more}`;
}
