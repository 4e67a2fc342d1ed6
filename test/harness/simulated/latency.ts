import type { Random } from "../../../eventing/random.ts";
import type { Clock } from "../../../shared/clock.ts";
import type { ApiResponse, Transport } from "../../../shared/kubernetes/transport.ts";

/** Milliseconds by which a watch is late at most; most are later by a few only. */
const latest = 400;
/** Milliseconds that a request takes at most; half of them take none, and one in so many much longer. */
const usual = 10;
const oneIn = 12;
const longest = 200;

/**
 * A transport whose watches tell what happened a little late, in order, which is what makes every cache a stale one,
 * and whose requests take a moment.
 */
export function withLatency(transport: Transport, clock: Clock, random: Random): Transport {
  return async (request) => {
    const watch = /[?&]watch=(1|true)/.test(request.path);
    const ms = watch ? 0 : random.below(oneIn) === 0 ? random.below(longest) : random.below(2 * usual) - usual;
    if (ms > 0) await clock.sleep(ms);
    const response = await transport(request);
    return watch ? { ...response, body: late(response.body, clock, random) } : response;
  };
}

async function* late(body: ApiResponse["body"], clock: Clock, random: Random): AsyncGenerator<string> {
  for await (const text of body) {
    const ms = Math.floor(random.next() ** 4 * latest);
    if (ms > 0) await clock.sleep(ms);
    yield text;
  }
}
