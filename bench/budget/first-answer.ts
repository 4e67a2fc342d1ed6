import { connect } from "node:net";
import { figuresOf } from "../process/figures.ts";
import { type Program, start } from "../process/program.ts";

/** A start from nothing to the first event answered. */
export interface FirstAnswer {
  /** Milliseconds from the start of the process to the last byte of the answer. */
  readonly time: number;
  /** Memory then, in bytes. */
  readonly rss: number;
}

/**
 * Starts a program, sends it a request as soon as it takes a connection, and waits for its 204. The connection is
 * tried every millisecond, because that the port is open says nothing yet.
 */
export async function firstAnswer(program: Program, request: Buffer): Promise<FirstAnswer> {
  const running = await start(program);
  try {
    const answer = await firstReply(running.port, request);
    const time = performance.now() - running.since;
    if (!answer.startsWith("HTTP/1.1 204")) throw new Error(`204 was expected: ${answer}`);
    return { time, rss: figuresOf(running.pid).rss };
  } finally {
    await running.kill();
  }
}

function firstReply(port: number, request: Buffer): Promise<string> {
  const deadline = performance.now() + 20_000;
  return new Promise((resolve, reject) => {
    const attempt = () => {
      const socket = connect(port, "127.0.0.1");
      socket.on("connect", () => socket.write(request));
      socket.on("data", (data) => {
        resolve(data.toString("latin1"));
        socket.destroy();
      });
      socket.on("error", (error) => {
        if (performance.now() > deadline) reject(error);
        else setTimeout(attempt, 1);
      });
    };
    attempt();
  });
}
