import type { Scale } from "./autoscaling.ts";

/** What a revision has and has to do at this moment. */
export interface Load {
  /** Instances that listen. */
  readonly ready: number;
  /** Requests that instances are at. */
  readonly busy: number;
  /** Requests that wait for an instance. */
  readonly waiting: number;
}

/** Requests that Knative's activator holds for a revision before it refuses more. */
const activatorQueue = 10_000;
/** A queue-proxy holds this many times its instance's concurrency. */
const proxyQueue = 10;
/**
 * The autoscaler aims at 70 % of the concurrency that an instance can have, and assumes 100 where there is no limit.
 */
const utilisation = 0.7;
const assumedConcurrency = 100;

/** How many instances the autoscaler would want, not counting `min-scale` and `max-scale`. */
export function wantedInstances(scale: Scale, concurrency: number, load: Load): number {
  const target = (scale.target ?? (concurrency || assumedConcurrency)) * utilisation;
  return Math.ceil((load.busy + load.waiting) / target);
}

/**
 * How many requests may wait. Without an instance, and while the spare concurrency of all instances is below
 * `target-burst-capacity` (by default 211, so nearly always), requests wait in the activator; otherwise they wait at
 * the instances' queue-proxies, taken together here.
 */
export function longestQueue(scale: Scale, concurrency: number, load: Load): number {
  const spare = load.ready * (concurrency || assumedConcurrency) - load.busy - load.waiting - scale.burst;
  const direct = load.ready > 0 && (scale.burst === 0 || (scale.burst > 0 && spare >= 0));
  return direct ? proxyQueue * concurrency * load.ready : activatorQueue;
}
