/** Adds a request to the run of a key and returns what that run came to. */
export type Join<Input, Result> = (key: string, input: Input) => Promise<Result>;

interface Queue<Input, Result> {
  waiting: Input[];
  next: Promise<Result> | undefined;
  running: Promise<unknown> | undefined;
}

/**
 * Runs of different subjects that go on at once: each may hold a page of a list, and sends what it does in several
 * lanes.
 */
const runsAtOnce = 20;

/**
 * Lets requests for one subject share a run, but only one that starts after they arrived: a request that comes while a
 * run is reading waits for the next, which all who came meanwhile share. A burst of a thousand events thus costs a few
 * runs, and no verdict rests on a read older than the request. This is all that an instance remembers, and nothing
 * depends on it.
 */
export function coalesce<Input, Result>(
  run: (key: string, inputs: readonly Input[]) => Promise<Result>,
): Join<Input, Result> {
  const queues = new Map<string, Queue<Input, Result>>();
  let free = runsAtOnce;
  const admitted: (() => void)[] = [];

  function leave(): void {
    const next = admitted.shift();
    if (next) next();
    else free++;
  }

  async function start(key: string, queue: Queue<Input, Result>): Promise<Result> {
    await queue.running;
    if (free > 0) free--;
    else await new Promise<void>((admit) => admitted.push(admit));
    const inputs = queue.waiting;
    queue.waiting = [];
    queue.next = undefined;
    const result = run(key, inputs);
    const ended = result.then(
      () => {},
      () => {},
    );
    queue.running = ended;
    void ended.then(() => {
      leave();
      if (queue.running === ended && !queue.next) queues.delete(key);
    });
    return result;
  }

  return (key, input) => {
    let queue = queues.get(key);
    if (!queue) {
      queue = { waiting: [], next: undefined, running: undefined };
      queues.set(key, queue);
    }
    queue.waiting.push(input);
    queue.next ??= start(key, queue);
    return queue.next;
  };
}
