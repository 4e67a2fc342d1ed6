import { parentPort } from "node:worker_threads";
import { type Failure, simulate } from "../simulate.ts";
import { type Job, specOf } from "./jobs.ts";

/** What comes back for each {@link Job}. */
export interface Ran {
  readonly job: Job;
  readonly failure: Failure | undefined;
}

parentPort?.on("message", async (job: Job) => {
  const ran: Ran = { job, failure: (await simulate(specOf(job))).failure };
  parentPort?.postMessage(ran);
});
