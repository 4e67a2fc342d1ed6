import type { Random } from "../../../eventing/random.ts";
import type { Clock } from "../../../shared/clock.ts";
import type { ApiRequest, ApiResponse } from "../../../shared/kubernetes/transport.ts";
import { apiFailure } from "../api-failure.ts";
import type { Process } from "../simulated/process.ts";
import { killing } from "./kill.ts";
import type { FaultSchedule } from "./schedule.ts";

/** Sends a request on, or lets something go wrong with it. */
export type Disturb = (
  call: { readonly process: Process; readonly request: ApiRequest; readonly write: boolean },
  send: () => Promise<ApiResponse>,
) => Promise<ApiResponse>;

type Fault = (process: Process, send: () => Promise<ApiResponse>, clock: Clock) => Promise<ApiResponse>;

const refuse =
  (status: number, reason: string): Fault =>
  async () =>
    apiFailure(status, reason, status === 429 ? { "retry-after": "1" } : {});
const afterwards =
  (fault: (clock: Clock) => Promise<ApiResponse>): Fault =>
  async (_, send, clock) => {
    await send();
    return fault(clock);
  };

const faults: Readonly<Record<string, Fault>> = {
  "429": refuse(429, "TooManyRequests"),
  "500": refuse(500, "InternalError"),
  "503": refuse(503, "ServiceUnavailable"),
  unreachable: () => Promise.reject(new Error("connect ECONNREFUSED")),
  "answer lost": afterwards(() => Promise.reject(new Error("read ECONNRESET"))),
  "no answer in time": afterwards(async (clock) => {
    await clock.sleep(40_000);
    return apiFailure(504, "Timeout");
  }),
  ...killing,
};
const ofReads: Readonly<Record<string, Fault>> = { ...faults };
const ofWrites: Readonly<Record<string, Fault>> = {
  ...faults,
  "409": refuse(409, "Conflict"),
  "500 when done": afterwards(async () => apiFailure(500, "InternalError")),
  "504 when done": afterwards(async () => apiFailure(504, "Timeout")),
};
/** The second page of a list may come too late. */
const ofPages: Readonly<Record<string, Fault>> = { ...ofReads, "410": refuse(410, "Expired") };

/** Lets requests of functions fail at this rate (0 to 1), in every way that an API server and a network know. */
export function apiFaults(schedule: FaultSchedule, rate: number, clock: Clock): Disturb {
  const counts = new Map<string, number>();
  return ({ process, request, write }, send) => {
    const count = (counts.get(process.rule) ?? 0) + 1;
    counts.set(process.rule, count);
    const kinds = write ? ofWrites : request.path.includes("continue=") ? ofPages : ofReads;
    const what = schedule.draw(`request ${count} of ${process.rule}`, (random) =>
      random.next() < rate ? pick(random, Object.keys(kinds)) : undefined,
    );
    const fault = what === undefined ? undefined : kinds[what];
    return fault ? fault(process, send, clock) : send();
  };
}

/** One of several, drawn. */
export function pick<T>(random: Random, items: readonly T[]): T {
  return items[random.below(items.length)] as T;
}
