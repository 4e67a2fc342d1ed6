import { parentPort } from "node:worker_threads";
import { type Failure, simulate } from "../simulate.ts";
import { type Job, specOf } from "./jobs.ts";

/** What a worker answers for each job. */
export interface Answer {
  readonly job: Job;
  readonly failure: Failure | undefined;
}

parentPort?.on("message", async (job: Job) => {
  const answer: Answer = { job, failure: (await simulate(specOf(job))).failure };
  parentPort?.postMessage(answer);
});
