import type { Instance } from "./instance.ts";
import type { Plan } from "./plan.ts";
import { Refusal } from "./refusal.ts";
import { createLine } from "./waiting-line.ts";

/** What happened to a revision's instances; `instances` is how many listen now, `ms` how long the start took. */
export type FleetEvent =
  | { readonly what: "started"; readonly ms: number; readonly instances: number }
  | { readonly what: "stopped"; readonly message: StopCause; readonly instances: number }
  | { readonly what: "crashed"; readonly message: string; readonly instances: number }
  | { readonly what: "failed"; readonly message: string };

/** Why an instance was stopped. */
export type StopCause = "idle" | "replaced" | "closing";

/** What a fleet needs of its surroundings. */
export interface FleetHost {
  readonly plan: Plan;
  /** Starts one instance. Rejects with a sentence when it does not come to listen. */
  start(signal: AbortSignal): Promise<Instance>;
  report(event: FleetEvent): void;
  /** Instances that a revision may have on this machine, also if its `max-scale` is higher. */
  readonly mostInstances: number;
}

/** The instances of one revision, between none and a few, as many as requests call for. */
export interface Fleet {
  /**
   * A place at an instance, at once or when there is one. Rejects with a {@link Refusal}, or the reason that `signal`
   * aborted for.
   */
  take(signal: AbortSignal): Promise<Member>;
  /** Gives the place back. */
  release(member: Member): void;
  /** Resolves when `count` instances listen; rejects when one does not come to it. */
  prove(count: number): Promise<void>;
  /** Waits until no request has or wants a place, then stops the instances; resolves when all are gone. */
  drain(): Promise<void>;
  /** Refuses those who wait and stops all instances now; those at a request have `grace` milliseconds to answer. */
  close(grace: number): Promise<void>;
  /** How many processes there are, those that start or stop included. */
  processes(): number;
}

export interface Member {
  readonly instance: Instance;
  busy: number;
  /** It failed to answer and has perhaps gone: nothing more is sent to it. */
  doubtful: boolean;
  idle?: NodeJS.Timeout;
}

/** The autoscaler looks every 2 s. */
const tickInterval = 2000;
/** It aims at 70 % of the concurrency that an instance can have, and assumes 100 where there is no limit. */
const utilisation = 0.7;
const assumedConcurrency = 100;
/** Requests that Knative's activator holds for a revision before it refuses more. */
const longestQueue = 10_000;

/** Creates a fleet of no instance. */
export function createFleet({ plan, start: startInstance, report, mostInstances }: FleetHost): Fleet {
  const { scale, concurrency } = plan;
  const most = Math.min(scale.max || mostInstances, mostInstances);
  const least = Math.min(scale.min, most);
  const members = new Set<Member>();
  /** Starts and stops under way. */
  const changes = new Set<Promise<unknown>>();
  const abort = new AbortController();
  const waiting = createLine<Member>();
  let starting = 0;
  let draining: { gone(): void } | undefined;
  let tick: NodeJS.Timeout | undefined;

  const live = () => members.size + starting;

  function leastBusy(): Member | undefined {
    let best: Member | undefined;
    for (const member of members) {
      const room = !member.doubtful && (concurrency === 0 || member.busy < concurrency);
      if (room && (!best || member.busy < best.busy)) best = member;
    }
    return best;
  }

  /** Gives those who wait a place where there is one, and sees to it that there will be one for the others. */
  function advance(): void {
    for (let member = leastBusy(); member && waiting.length > 0; member = leastBusy()) {
      occupy(member);
      waiting.serve(member);
    }
    if (draining && waiting.length === 0) {
      abort.abort();
      for (const member of members) if (member.busy === 0) stop(member, "replaced", plan.timeout);
      if (live() === 0) draining.gone();
    } else if (waiting.length > 0 && live() === 0) void start();
    else if (waiting.length > 0) tick ??= setTimeout(scaleOut, tickInterval).unref();
  }

  function scaleOut(): void {
    tick = undefined;
    const load = [...members].reduce((sum, { busy }) => sum + busy, waiting.length);
    const called = Math.ceil(load / ((concurrency || assumedConcurrency) * utilisation));
    const wanted = Math.min(most, Math.max(least, called));
    while (live() < wanted && !draining) void start();
    advance();
  }

  function track<T>(change: Promise<T>): Promise<T> {
    changes.add(change);
    void change.then(() => changes.delete(change));
    return change;
  }

  const start = () => track(startOne());

  /** Resolves with what went wrong, if something did. */
  async function startOne(): Promise<Error | undefined> {
    starting++;
    const begun = performance.now();
    try {
      const instance = await startInstance(abort.signal);
      if (abort.signal.aborted) {
        await instance.stop(0);
        throw abort.signal.reason;
      }
      const member: Member = { instance, busy: 0, doubtful: false };
      members.add(member);
      starting--;
      void instance.ended.then((how) => lost(member, how));
      report({ what: "started", ms: performance.now() - begun, instances: members.size });
      rest(member);
      advance();
      return undefined;
    } catch (error) {
      starting--;
      const message = (error as Error).message;
      if (!abort.signal.aborted) report({ what: "failed", message });
      if (live() === 0) waiting.refuse(new Refusal(503, `The function cannot be started. ${message}`));
      advance();
      return error as Error;
    }
  }

  function lost(member: Member, how: string): void {
    clearTimeout(member.idle);
    if (!members.delete(member)) return;
    report({ what: "crashed", message: `The process ${how}`, instances: members.size });
    if (live() === 0) waiting.refuse(new Refusal(502, "The function's process ended before it could answer."));
    if (live() < least) tick ??= setTimeout(scaleOut, tickInterval).unref();
    advance();
  }

  function occupy(member: Member): void {
    member.busy++;
    clearTimeout(member.idle);
  }

  /** An instance without work goes after the window. */
  function rest(member: Member): void {
    clearTimeout(member.idle);
    if (!members.has(member)) return;
    member.idle = setTimeout(() => {
      if (members.size > least) stop(member, "idle", plan.timeout);
    }, scale.window).unref();
  }

  function stop(member: Member, message: StopCause, grace: number): void {
    clearTimeout(member.idle);
    members.delete(member);
    const stopped = () => report({ what: "stopped", message, instances: members.size });
    void track(member.instance.stop(grace).then(stopped));
  }

  return {
    async take(signal: AbortSignal): Promise<Member> {
      signal.throwIfAborted();
      const free = waiting.length === 0 ? leastBusy() : undefined;
      if (free) {
        occupy(free);
        return free;
      }
      if (waiting.length >= longestQueue) throw new Refusal(503, "pending request queue full");
      const turn = waiting.join(signal);
      advance();
      return turn;
    },
    release(member) {
      member.busy--;
      advance();
      if (member.busy === 0) rest(member);
    },
    async prove(count) {
      const missing = Math.max(0, Math.min(count, most) - live());
      const faults = await Promise.all(Array.from({ length: missing }, start));
      for (const fault of faults) if (fault) throw fault;
    },
    async drain() {
      await new Promise<void>((gone) => {
        draining = { gone };
        advance();
      });
      clearTimeout(tick);
      await Promise.all(changes);
    },
    async close(grace) {
      abort.abort();
      draining ??= { gone: () => {} };
      clearTimeout(tick);
      waiting.refuse(new Refusal(503, "The laptop edition is closing."));
      for (const member of members) stop(member, "closing", grace);
      await Promise.all(changes);
      draining.gone();
    },
    processes: () => members.size + changes.size,
  };
}
