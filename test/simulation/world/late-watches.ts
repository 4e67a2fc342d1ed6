import type { Random } from "../../../local/time/random.ts";
import type { Clock } from "../../../shared/clock.ts";
import type { ApiResponse, Transport } from "../../../shared/kubernetes/transport.ts";

/** Milliseconds by which a watch is late at most; most are later by a few only. */
const latest = 400;

/** A transport whose watches tell what happened a little late, in order: what makes every cache a stale one. */
export function lateWatches(transport: Transport, clock: Clock, random: Random): Transport {
  return async (request) => {
    const response = await transport(request);
    return /[?&]watch=(1|true)/.test(request.path)
      ? { ...response, body: late(response.body, clock, random) }
      : response;
  };
}

async function* late(body: ApiResponse["body"], clock: Clock, random: Random): AsyncGenerator<string> {
  for await (const text of body) {
    const ms = Math.floor(random.next() ** 4 * latest);
    if (ms > 0) await clock.sleep(ms);
    yield text;
  }
}
