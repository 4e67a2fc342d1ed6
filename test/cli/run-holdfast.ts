import { Readable, Writable } from "node:stream";
import { vi } from "vitest";
import { runProgram } from "../../cli/program.ts";

/** How the program ended. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** What stands around the program, as far as a test says so. */
export interface Around {
  /** What comes in; nothing by default. */
  readonly input?: string;
  /** What is known of the terminal at the end of its output; by default the output is a pipe. */
  readonly terminal?: Partial<NodeJS.WriteStream>;
  /** Is called with all that the program has printed, whenever that is more. */
  readonly onOutput?: (printed: string) => void;
}

/**
 * Runs the program with its arguments, one at a time, in this process: a process of its own takes a second to load it.
 * Its streams are the test's. The program as a process is what `cli/program.test.ts` begins with.
 */
export async function runHoldfast(
  args: readonly string[],
  { input = "", terminal = {}, onOutput = () => {} }: Around = {},
): Promise<Ran> {
  let [out, err] = ["", ""];
  const stdout = writing((text) => {
    out += text;
    onOutput(out);
  });
  const streams = {
    stdin: Readable.from(input ? [input] : []),
    stdout: Object.assign(stdout, terminal),
    stderr: writing((text) => {
      err += text;
    }),
  };
  const put = (["stdin", "stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process, name, "get").mockReturnValue(streams[name] as never),
  );
  try {
    return { code: await runProgram(args), out, err };
  } finally {
    for (const each of put) each.mockRestore();
  }
}

const writing = (take: (text: string) => void) =>
  new Writable({
    decodeStrings: false,
    write(text, _, done) {
      take(String(text));
      done();
    },
  });
