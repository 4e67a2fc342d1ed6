import type { Clock } from "../../../shared/clock.ts";
import type { ApiRequest } from "../../../shared/kubernetes/transport.ts";
import type { FaultSchedule } from "../../harness/faults/schedule.ts";
import type { Process } from "../../harness/simulated/process.ts";

/** A request of a function. */
export interface Call {
  readonly process: Process;
  readonly request: ApiRequest;
  readonly write: boolean;
}

/** Milliseconds for which a request is held up before it is sent, or its answer. */
export interface Stall {
  readonly before?: number;
  readonly after?: number;
}

/** Holds requests of functions up, as a machine without memory or a slow network does. */
export interface Stalls {
  hold<T>(call: Call, send: () => Promise<T>): Promise<T>;
  /** From now on this decides which requests are held up, beside those that are drawn. */
  add(decide: (call: Call) => Stall | undefined): void;
}

/** A function may stand still for so long between two requests (milliseconds). */
const longest = 20_000;
/**
 * A write that has been sent is under way for so long (milliseconds): shorter than users wait where they rely on it.
 */
const longestUnderWay = 1_500;

/** Stalls that are drawn at this rate (0 to 1), and those that are added. */
export function stalls(schedule: FaultSchedule, clock: Clock, rate: number): Stalls {
  const wanted: ((call: Call) => Stall | undefined)[] = [];
  const counts = new Map<string, number>();
  return {
    add: (decide) => void wanted.push(decide),
    async hold(call, send) {
      const { rule } = call.process;
      const count = (counts.get(rule) ?? 0) + 1;
      counts.set(rule, count);
      const drawn = schedule.draw(`stall at request ${count} of ${rule}`, (random) =>
        random.next() < rate ? random.below(call.write ? longestUnderWay : longest) : undefined,
      );
      const stalls = wanted.map((decide) => decide(call) ?? {});
      const before = Math.max(drawn ?? 0, ...stalls.map((stall) => stall.before ?? 0));
      const after = Math.max(0, ...stalls.map((stall) => stall.after ?? 0));
      if (before > 0) await clock.sleep(before);
      const answer = await send();
      if (after > 0) await clock.sleep(after);
      return answer;
    },
  };
}
