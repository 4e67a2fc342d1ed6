import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Transport } from "../../../../shared/kubernetes/transport.ts";
import type { AllowedRequest } from "./allowed-request.ts";
import { askApiServer, limited, textOf } from "./ask-api-server.ts";
import { messageIn } from "./message-in.ts";
import { Refusal } from "./refusal.ts";

/** A watch under the name by which the page knows it. */
export interface NamedWatch {
  readonly path: string;
  readonly request: AllowedRequest;
}

/** Milliseconds between two signs of life: proxies close what is silent, and pages find out what has been cut. */
const pulse = 15_000;

/** Milliseconds until a watch has to have begun. */
const patience = 30_000;

/** Milliseconds without a line until a watch is given up: mostly, API servers send a bookmark once a minute. */
const silence = 180_000;

/** Bytes of one event, at most: an object has 1.5 MiB in etcd. */
const longestEvent = 8 * 1024 * 1024;

const noReason = "The API server gave no reason.";

/** Bytes of a refusal that are read for its message. */
const longestRefusal = 64 * 1024;

/**
 * Answers with several watches at once, a JSON line for each that begins or ends, and for each event: browsers open six
 * connections to a server for all their tabs together, and a connection for each kind would use them up. Ends when the
 * last watch has ended.
 */
export async function watchMany(
  transport: Transport,
  watches: readonly NamedWatch[],
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  // Each watch may wait until the page has read.
  response.setMaxListeners(0);
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  const beat = setInterval(() => response.write("{}\n"), pulse);
  response.write("{}\n");
  try {
    await Promise.all(
      watches.map(async ({ path, request }) => {
        const end = await watchOne(transport, path, request, response, gone.signal);
        if (!gone.signal.aborted) response.write(`${JSON.stringify({ path, end })}\n`);
      }),
    );
  } finally {
    clearInterval(beat);
  }
  response.end();
}

interface End {
  readonly status: number;
  readonly message: string;
}

async function watchOne(
  transport: Transport,
  path: string,
  request: AllowedRequest,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<End> {
  const head = `{"path":${JSON.stringify(path)},"event":`;
  const quiet = new AbortController();
  let timer = setTimeout(() => quiet.abort(), patience);
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => quiet.abort(), silence);
  };
  try {
    const answer = await askApiServer(transport, request, AbortSignal.any([gone, quiet.signal]));
    const { status } = answer;
    heard();
    if (status !== 200) return { status, message: messageIn(await textOf(answer, longestRefusal)) || noReason };
    response.write(`${JSON.stringify({ path })}\n`);
    for await (const line of lines(limited(answer, Number.POSITIVE_INFINITY))) {
      heard();
      response.cork();
      response.write(head);
      response.write(line);
      const isTaken = response.write("}\n");
      response.uncork();
      if (!isTaken) await once(response, "drain", { signal: gone });
    }
    return { status, message: "The watch has ended." };
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, message: error.message };
    // No bookmarks of Events come, for example: silence is no fault. The page asks again, which shows who is away.
    if (quiet.signal.aborted) return { status: 200, message: "The watch was silent." };
    return { status: 502, message: "The connection to the API server broke." };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The lines of a watch, each an event in JSON. A line that is cut off by the end is none. They pass as the bytes that
 * came: what is copied or decoded for each event stays in memory until much has come together.
 */
async function* lines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let rest = chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const last = rest.subarray(0, end);
      if (length + end > 0) yield pieces.length > 0 ? Buffer.concat([...pieces, last]) : last;
      pieces = [];
      length = 0;
      rest = rest.subarray(end + 1);
    }
    // The smallest part keeps the whole chunk.
    if (rest.length > 0) pieces.push(rest);
    length += rest.length;
    if (length > longestEvent) throw new Refusal(502, "The API server sent an event that is too large.");
  }
}
