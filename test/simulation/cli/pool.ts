import { Worker } from "node:worker_threads";

/** Does tasks in so many threads of a script at once; `done` hears of each answer and says whether to go on. */
export async function runAll<Task, Answer>(
  script: URL,
  tasks: AsyncIterator<Task> | Iterator<Task>,
  threads: number,
  done: (answer: Answer) => boolean,
): Promise<void> {
  let going = true;
  async function lane(): Promise<void> {
    const worker = new Worker(script);
    try {
      for (let next = await tasks.next(); going && !next.done; next = await tasks.next()) {
        const answer = await ask<Task, Answer>(worker, next.value);
        if (going) going = done(answer);
      }
    } catch (error) {
      going = false;
      throw error;
    } finally {
      await worker.terminate();
    }
  }
  await Promise.all(Array.from({ length: threads }, lane));
}

/** Milliseconds after which a task is taken for one that never ends. */
const longest = 300_000;

function ask<Task, Answer>(worker: Worker, task: Task): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => failed(new Error("It does not come to an end.")), longest);
    const failed = (error: Error) => {
      clearTimeout(late);
      worker.off("message", answered);
      reject(new Error(`${JSON.stringify(task)} broke the simulation itself.`, { cause: error }));
    };
    const answered = (answer: Answer) => {
      clearTimeout(late);
      worker.off("error", failed);
      resolve(answer);
    };
    worker.once("message", answered);
    worker.once("error", failed);
    worker.postMessage(task);
  });
}
