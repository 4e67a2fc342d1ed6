import type { Random } from "../../../eventing/random.ts";
import type { Streams } from "../simulated/streams.ts";

/**
 * Which faults strike in a run. Each has a name that says where it strikes and draws from a stream of that name, so
 * that one can be left out while the others stay as they are: that is how a failing run is made shorter.
 */
export interface FaultSchedule {
  /** Draws whether a fault strikes here, with what follows from it; `undefined` when not, or when it is left out. */
  draw<T>(name: string, strike: (random: Random) => T | undefined): T | undefined;
  /** From now on nothing strikes any more. */
  end(): void;
  readonly ended: boolean;
  /** The names of all that struck, in order. */
  readonly struck: readonly string[];
}

/** The faults of a run; `without` names those that are left out. */
export function faultSchedule(streams: Streams, without: ReadonlySet<string>): FaultSchedule {
  const struck: string[] = [];
  let ended = false;
  return {
    draw(name, strike) {
      if (ended || without.has(name)) return undefined;
      const result = strike(streams(`fault ${name}`));
      if (result !== undefined) struck.push(name);
      return result;
    },
    end() {
      ended = true;
    },
    get ended() {
      return ended;
    },
    struck,
  };
}
