import type { SystemResponse } from "../../../shared/system/transport.ts";
import type { Process } from "../simulated/process.ts";
import { pick } from "./api.ts";
import { killing, never } from "./kill.ts";
import type { FaultSchedule } from "./schedule.ts";

/** Sends a request to an external system on, or lets something go wrong with it. */
export type DisturbSystem = (process: Process, send: () => Promise<SystemResponse>) => Promise<SystemResponse>;

type Fault = (process: Process, send: () => Promise<SystemResponse>) => Promise<SystemResponse>;

const faults: Readonly<Record<string, Fault>> = {
  unreachable: () => Promise.reject(new Error("connect ECONNREFUSED")),
  "answer lost": async (_, send) => {
    await send();
    throw new Error("read ECONNRESET");
  },
  // The client that asks gives up.
  "no answer": async (_, send) => {
    await send();
    return never();
  },
  "never arrives": never,
  "a proxy's page": async () => ({ status: 502, headers: { "content-type": "text/html" }, body: "<p>Bad Gateway</p>" }),
  "half an answer": async (_, send) => {
    const answer = await send();
    return { ...answer, body: answer.body.slice(0, answer.body.length / 2) };
  },
  ...killing,
};

/** Lets requests of functions to external systems fail at this rate (0 to 1), in every way that a network knows. */
export function systemFaults(schedule: FaultSchedule, rate: number): DisturbSystem {
  const counts = new Map<string, number>();
  return (process, send) => {
    const count = (counts.get(process.rule) ?? 0) + 1;
    counts.set(process.rule, count);
    const what = schedule.draw(`request ${count} of ${process.rule} to the outside`, (random) =>
      random.next() < rate ? pick(random, Object.keys(faults)) : undefined,
    );
    const fault = what === undefined ? undefined : faults[what];
    return fault ? fault(process, send) : send();
  };
}
