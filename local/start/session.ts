import { setTimeout as sleep } from "node:timers/promises";
import { temporaryFolder } from "../../shared/command/temporary-folder.ts";
import { complain, isPlain } from "../../shared/command/user-error.ts";
import { whenNpmEnds } from "./when-npm-ends.ts";

/** One run of the program, with all that it has to leave as it found it. */
export interface Session {
  /** Aborts when the person at the keyboard, or the program that runs this, wants it to end. */
  readonly signal: AbortSignal;
  /** For files of this run, readable by this user alone. */
  readonly folder: string;
  /** To be called at the end, last first. */
  onEnd(close: () => Promise<unknown> | unknown): void;
}

/**
 * Runs a program in a session and returns its exit code: what it says, 1 after a complaint, `interrupted` when it was
 * asked to end before.
 */
export async function inSession(interrupted: number, run: (session: Session) => Promise<number>): Promise<number> {
  let session: ReturnType<typeof openSession>;
  try {
    session = openSession();
  } catch (error) {
    return complain(error);
  }
  try {
    return await run(session);
  } catch (error) {
    // Ctrl-C reaches the processes of a bundler, too, and their end may be seen first.
    if (!isPlain(error)) await sleep(sameMoment);
    return session.signal.aborted ? interrupted : complain(error);
  } finally {
    await session.end();
  }
}

const sameMoment = 200;

/** A terminal and npm may both deliver one Ctrl-C; a second one that is meant comes later. */
const sameKeystroke = 1000;

/**
 * Begins a session. The first SIGINT, SIGTERM or SIGHUP asks for an orderly end, a second one ends the program at once;
 * processes and files are taken away even then.
 */
function openSession(): Session & { end(): Promise<void> } {
  const stop = new AbortController();
  const { path: folder } = temporaryFolder("laptop");
  const closers: (() => Promise<unknown> | unknown)[] = [];

  let asked = 0;
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => {
      if (asked > 0 && Date.now() - asked > sameKeystroke) process.exit(130);
      asked ||= Date.now();
      stop.abort(new Error("Interrupted."));
    });
  }
  whenNpmEnds(() => stop.abort(new Error("Interrupted.")));
  // A pipe whose reader has gone is a reader who has seen enough.
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", () => stop.abort(new Error("Interrupted.")));

  return {
    signal: stop.signal,
    folder,
    onEnd: (close) => void closers.push(close),
    /** Closes all; what fails is printed and does not keep the rest from closing. */
    async end() {
      stop.abort(new Error("Interrupted."));
      for (const close of closers.splice(0).reverse()) {
        try {
          await close();
        } catch (error) {
          process.stderr.write(`holdfast: While ending: ${(error as Error).message}\n`);
        }
      }
    },
  };
}
