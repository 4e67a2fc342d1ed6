import type { IncomingMessage } from "node:http";

/**
 * The largest event that is read, in bytes. Objects reach 1.5 MiB in etcd; express' own default of 100 kB would send
 * real Pods and Nodes straight to the dead-letter sink.
 */
export const largestBody = 4 * 1024 * 1024;

/** What all events in flight in a process may hold together, in bytes: hundreds of usual ones, few of the largest. */
const allBodies = 16 * 1024 * 1024;

/** A body, or why there is none. Its text is taken once; its bytes count until then. */
export type Body =
  | { readonly refused?: undefined; take(): string }
  | { readonly refused: "too long" | "too many at once" };

interface Arriving {
  length: number;
  giveUp(): void;
}

/**
 * Returns the reader for the bodies of one process. A body longer than {@link largestBody} is refused. Where all bodies
 * in flight hold more than `budget` bytes together, the longest of those that are still arriving is refused, so that a
 * sender of large bodies can neither keep small events out nor use up the process's memory. What a refused sender still
 * writes is read and thrown away: it would see a broken connection instead of the answer, and try again. The reader
 * rejects when the sender goes away.
 */
export function createBodyReader(budget = allBodies): (request: IncomingMessage) => Promise<Body> {
  const arriving = new Set<Arriving>();
  let held = 0;

  return (request) => {
    const { promise, resolve, reject } = Promise.withResolvers<Body>();
    let chunks: Buffer[] = [];
    const release = () => {
      held -= body.length;
      body.length = 0;
    };
    const end = () => {
      const ended = arriving.delete(body);
      const read = chunks;
      chunks = [];
      return ended ? read : undefined;
    };
    const refuse = (refused: "too long" | "too many at once") => {
      end();
      release();
      resolve({ refused });
    };
    const body: Arriving = { length: 0, giveUp: () => refuse("too many at once") };
    arriving.add(body);
    // Listeners, because iterating over a request costs more than all that is done with it afterwards.
    request.on("data", (chunk: Buffer) => {
      if (!arriving.has(body)) return;
      chunks.push(chunk);
      body.length += chunk.length;
      held += chunk.length;
      if (body.length > largestBody) refuse("too long");
      else if (held > budget) longest(arriving).giveUp();
    });
    request.on("end", () => {
      let read = end();
      const take = () => {
        const [first = Buffer.alloc(0), ...more] = read ?? [];
        read = undefined;
        release();
        return (more.length === 0 ? first : Buffer.concat([first, ...more])).toString();
      };
      if (read) resolve({ take });
    });
    request.on("error", (error) => {
      end();
      release();
      reject(error);
    });
    return promise;
  };
}

function longest(bodies: Iterable<Arriving>): Arriving {
  return [...bodies].reduce((one, other) => (other.length > one.length ? other : one));
}
