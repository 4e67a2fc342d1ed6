import { Worker } from "node:worker_threads";
import type { Job } from "./jobs.ts";
import type { Answer } from "./worker.ts";

/** Runs jobs in so many threads at once; `done` hears of each and answers whether to go on. */
export async function runAll(
  jobs: AsyncIterator<Job>,
  threads: number,
  done: (answer: Answer) => boolean,
): Promise<void> {
  let going = true;
  async function lane(): Promise<void> {
    const worker = new Worker(new URL("./worker.ts", import.meta.url));
    try {
      for (let next = await jobs.next(); going && !next.done; next = await jobs.next()) {
        const answer = await ask(worker, next.value);
        if (going) going = done(answer);
      }
    } finally {
      going = false;
      await worker.terminate();
    }
  }
  await Promise.all(Array.from({ length: threads }, lane));
}

/** Milliseconds after which a run is taken for one that never ends. */
const longestRun = 120_000;

function ask(worker: Worker, job: Job): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => failed(new Error("It does not come to an end.")), longestRun);
    const failed = (error: Error) => {
      clearTimeout(late);
      worker.off("message", answered);
      reject(new Error(`Run ${job.number} of ${job.scenario} broke the simulation itself.`, { cause: error }));
    };
    const answered = (answer: Answer) => {
      clearTimeout(late);
      worker.off("error", failed);
      resolve(answer);
    };
    worker.once("message", answered);
    worker.once("error", failed);
    worker.postMessage(job);
  });
}
