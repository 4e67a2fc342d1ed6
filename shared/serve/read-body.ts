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
  /** The memory that the body takes, in bytes. */
  size: number;
  giveUp(): void;
}

/**
 * Returns the reader for the bodies of one process. A body longer than {@link largestBody} is refused. Where all bodies
 * in flight hold more than `budget` bytes together, the longest of those that are still arriving is refused, so that a
 * sender of large bodies can neither keep small events out nor use up the process's memory. What a refused sender still
 * writes is read and thrown away: it would see a broken connection instead of the answer, and try again. The reader
 * rejects when the sender goes away.
 *
 * A body is copied into one buffer as it arrives. A chunk of one byte takes hundreds of bytes of memory, so that chunks
 * that are kept would take far more than they count.
 */
export function createBodyReader(budget = allBodies): (request: IncomingMessage) => Promise<Body> {
  const arriving = new Set<Arriving>();
  let held = 0;

  return (request) => {
    const { promise, resolve, reject } = Promise.withResolvers<Body>();
    let bytes = nothing;
    let length = 0;
    const resize = (size: number) => {
      held += size - body.size;
      body.size = size;
    };
    const refuse = (refused: "too long" | "too many at once") => {
      arriving.delete(body);
      bytes = nothing;
      resize(0);
      resolve({ refused });
    };
    const body: Arriving = { size: 0, giveUp: () => refuse("too many at once") };
    arriving.add(body);
    // Listeners, because iterating over a request costs more than all that is done with it afterwards.
    request.on("data", (chunk: Buffer) => {
      if (!arriving.has(body)) return;
      const needed = length + chunk.length;
      if (needed > largestBody) return refuse("too long");
      // Most events are one chunk.
      if (length === 0) bytes = chunk;
      else {
        if (needed > bytes.length) bytes = grown(bytes, needed, request.headers["content-length"]);
        chunk.copy(bytes, length);
      }
      length = needed;
      resize(bytes.length);
      if (held > budget) longest(arriving).giveUp();
    });
    request.on("end", () => {
      if (!arriving.delete(body)) return;
      const take = () => {
        const text = bytes.toString("utf8", 0, length);
        bytes = nothing;
        length = 0;
        resize(0);
        return text;
      };
      resolve({ take });
    });
    request.on("error", (error) => {
      arriving.delete(body);
      bytes = nothing;
      resize(0);
      reject(error);
    });
    return promise;
  };
}

const nothing: Buffer = Buffer.alloc(0);

/** A larger buffer that begins with these bytes. It doubles, but is no longer than the sender says its body is. */
function grown(bytes: Buffer, needed: number, declared = String(largestBody)): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(2 * needed, Number(declared))));
  bytes.copy(larger);
  return larger;
}

function longest(bodies: Iterable<Arriving>): Arriving {
  return [...bodies].reduce((one, other) => (other.size > one.size ? other : one));
}
