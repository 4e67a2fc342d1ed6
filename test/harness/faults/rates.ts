import type { Random } from "../../../eventing/random.ts";
import { pick } from "./api.ts";
import type { FaultRates } from "./fates.ts";

/** How many faults a run has. Rates are from 0 to 1. */
export interface Rates {
  /** Requests of functions to the API server. */
  readonly api: number;
  /** Requests at which a second process of the function is handed the same event. */
  readonly company: number;
  readonly source: FaultRates;
  readonly broker: FaultRates;
  /** How many operations of users and operators are drawn. */
  readonly operations: number;
  /** Milliseconds by which clocks of functions may be off, either way. */
  readonly skew: number;
  /** Whether a newer version of each function runs beside the present one. */
  readonly mixed: boolean;
  /** Objects per page of a list. */
  readonly pageSize: number;
}

/** Processes' clocks differ from the true one by at most this (milliseconds). */
export const longestSkew = 60_000;

/** Nothing goes wrong; only the interleaving is drawn. */
export const faultFree: Rates = {
  api: 0,
  company: 0,
  source: {},
  broker: {},
  operations: 0,
  skew: 0,
  mixed: false,
  pageSize: 250,
};

/** Draws how many faults a run has: from nearly none to every event lost. */
export function drawRates(random: Random, loseAllEvents: boolean): Rates {
  const drop = loseAllEvents ? 1 : pick(random, [0, 0, 0.1, 0.5, 1]);
  const delay = pick(random, [0, 0.2, 0.7]);
  const longestDelay = pick(random, [50, 2_000, 90_000]);
  return {
    api: pick(random, [0, 0.03, 0.1, 0.3]),
    company: pick(random, [0, 0.1]),
    source: { drop, duplicate: pick(random, [0, 0.2]), delay, longestDelay },
    broker: { drop: pick(random, [0, 0, 0.1]), duplicate: pick(random, [0, 0.2]), delay, longestDelay },
    operations: random.below(6),
    skew: pick(random, [0, 1_000, longestSkew]),
    mixed: random.next() < 0.2,
    pageSize: pick(random, [1, 2, 250]),
  };
}
