import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { HttpRequest, HttpResponse } from "../../shared/http-message.ts";
import type { Instance } from "./instance.ts";
import type { Plan } from "./plan.ts";
import { Refusal } from "./refusal.ts";
import { createLine } from "./waiting-line.ts";

/** What happened to a revision's process; `ms` is how long its start took. */
export type InstanceEvent =
  | { readonly what: "started"; readonly ms: number }
  | { readonly what: "stopped"; readonly message: StopCause }
  | { readonly what: "crashed" | "failed"; readonly message: string };

/** Why a process was stopped. */
export type StopCause = "idle" | "replaced" | "closing";

/** What a revision is made of. */
export interface RevisionHost {
  readonly plan: Plan;
  /** Starts its process. Rejects with a sentence when it does not come to listen. */
  start(signal: AbortSignal): Promise<Instance>;
  report(event: InstanceEvent): void;
}

/** One immutable version of a function, with a process while requests call for one. */
export type Revision = ReturnType<typeof createRevision>;

/** Creates a revision that has no process yet. */
export function createRevision({ plan, start, report }: RevisionHost) {
  const { scale, concurrency } = plan;
  /** Starts and stops under way. */
  const changes = new Set<Promise<unknown>>();
  const ended = new AbortController();
  const waiting = createLine<Instance>();
  let instance: Instance | undefined;
  let starting: Promise<Error | undefined> | undefined;
  /** Requests that the process has. */
  let busy = 0;
  let idle: NodeJS.Timeout | undefined;
  let drained: (() => void) | undefined;

  function track<T>(change: Promise<T>): Promise<T> {
    changes.add(change);
    void change.then(() => changes.delete(change));
    return change;
  }

  function ensureStarted(): Promise<Error | undefined> {
    starting ??= track(startOne());
    return starting;
  }

  /** Resolves with what went wrong, if something did. */
  async function startOne(): Promise<Error | undefined> {
    const begun = performance.now();
    try {
      const started = await start(ended.signal);
      if (ended.signal.aborted) {
        await started.stop(0);
        throw ended.signal.reason;
      }
      instance = started;
      void started.ended.then((how) => lost(started, how));
      report({ what: "started", ms: performance.now() - begun });
      rest();
      return undefined;
    } catch (error) {
      const { message } = error as Error;
      if (!ended.signal.aborted) report({ what: "failed", message });
      waiting.refuse(new Refusal(503, `The function cannot be started. ${message}`));
      return error as Error;
    } finally {
      starting = undefined;
      advance();
    }
  }

  /** Hands the process to those who wait as far as it takes them, and starts one where there is none. */
  function advance(): void {
    while (instance && waiting.length > 0 && (concurrency === 0 || busy < concurrency)) {
      busy++;
      clearTimeout(idle);
      waiting.serve(instance);
    }
    if (waiting.length > 0 && !instance) void ensureStarted();
    if (waiting.length === 0 && busy === 0) drained?.();
  }

  function lost(gone: Instance, how: string): void {
    if (instance !== gone) return;
    clearTimeout(idle);
    instance = undefined;
    report({ what: "crashed", message: `The process ${how}` });
    waiting.refuse(new Refusal(502, "The function's process ended before it could answer."));
  }

  /** A process without work goes after the window. */
  function rest(): void {
    clearTimeout(idle);
    if (busy === 0 && scale.min === 0) idle = setTimeout(() => stop("idle", plan.timeout), scale.window).unref();
  }

  function stop(message: StopCause, grace: number): void {
    clearTimeout(idle);
    if (instance) void track(instance.stop(grace).then(() => report({ what: "stopped", message })));
    instance = undefined;
  }

  /** Has `use` ask the process, once it takes one more request. Throws a {@link Refusal}, or why `given` aborted. */
  async function ask<T>(given: AbortSignal, use: (instance: Instance, signal: AbortSignal) => Promise<T>): Promise<T> {
    const timeout = AbortSignal.timeout(plan.timeout);
    const signal = AbortSignal.any([given, timeout]);
    try {
      signal.throwIfAborted();
      const turn = waiting.join(signal);
      advance();
      const asked = await turn;
      try {
        return await use(asked, signal);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        // The connection broke; whether the process has gone, too, is known a moment later.
        await Promise.race([asked.ended, sleep(100)]);
        throw new Refusal(502, `The function did not answer: ${(error as Error).message}.`);
      } finally {
        busy--;
        rest();
        advance();
      }
    } catch (error) {
      throw timeout.aborted && !given.aborted ? new Refusal(504, "request timeout") : error;
    }
  }

  return {
    /**
     * Answers as the function does, or as Knative does in its place: 502 when the process went, 503 when it cannot be
     * started, 504 after the timeout. Rejects only when `signal` aborts.
     */
    async handle(
      path: string,
      { headers, body }: HttpRequest,
      signal = new AbortController().signal,
    ): Promise<HttpResponse> {
      try {
        return await ask(signal, async (instance, either) => {
          const answer = await instance.send(path, { method: "POST", headers: { ...headers }, body }, either);
          const flat = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as const);
          return { status: answer.statusCode, headers: Object.fromEntries(flat), body: await answer.body.text() };
        });
      } catch (error) {
        if (error instanceof Refusal) return error.answer;
        throw error;
      }
    },
    /** The same for a request of any method, with an answer that may take its time. Never rejects. */
    async pass(path: string, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
      const { method = "GET", headers } = incoming;
      const body = ["GET", "HEAD"].includes(method) ? null : incoming;
      const gone = new AbortController();
      outgoing.once("close", () => gone.abort());
      try {
        await ask(gone.signal, async (instance, either) => {
          const answer = await instance.send(path, { method, headers, body }, either);
          outgoing.writeHead(answer.statusCode, answer.headers);
          outgoing.flushHeaders();
          await pipeline(answer.body, outgoing);
        });
      } catch (error) {
        // What was begun cannot be taken back.
        if (outgoing.headersSent || !(error instanceof Refusal)) return void outgoing.destroy();
        outgoing.writeHead(error.answer.status, error.answer.headers).end(error.answer.body);
      }
    },
    /** Resolves when its process listens; rejects when it does not come to it. */
    async prove() {
      const fault = instance ? undefined : await ensureStarted();
      if (fault) throw fault;
    },
    /** Waits until no request has or wants the process, then stops it; resolves when it is gone. */
    async drain() {
      await new Promise<void>((resolve) => {
        drained = resolve;
        advance();
      });
      ended.abort();
      stop("replaced", plan.timeout);
      await Promise.all(changes);
    },
    /** Refuses those who wait and stops the process now; what it has is answered within `grace` milliseconds. */
    async close(grace: number) {
      ended.abort();
      waiting.refuse(new Refusal(503, "The laptop edition is closing."));
      stop("closing", grace);
      await Promise.all(changes);
    },
    /** How many processes there are, those that start or stop included. */
    processes: () => (instance ? 1 : 0) + changes.size,
  };
}
