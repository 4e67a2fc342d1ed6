import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { HttpRequest, HttpResponse } from "../../shared/http-message.ts";
import { createFleet, type Fleet, type FleetHost, type Member } from "./fleet.ts";
import { Refusal } from "./refusal.ts";

/** One immutable version of a function. */
export interface Revision extends Pick<Fleet, "prove" | "drain" | "close" | "processes"> {
  /**
   * Answers as the function does, or as Knative does in its place: 502 when the process went, 503 when too many wait or
   * no process can be started, 504 after the timeout. Rejects only when `signal` aborts.
   */
  handle(path: string, request: HttpRequest, signal?: AbortSignal): Promise<HttpResponse>;
  /** The same for a request of any method, with an answer that may take its time. Never rejects. */
  pass(path: string, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>;
}

/** Creates a revision that has no instance yet. */
export function createRevision(host: FleetHost): Revision {
  const fleet = createFleet(host);

  async function ask(member: Member, path: string, request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    try {
      return await member.instance.send(path, request, signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      // The connection broke; whether the process has gone, too, is known a moment later.
      member.doubtful = true;
      await Promise.race([member.instance.ended, sleep(100)]);
      member.doubtful = false;
      throw new Refusal(502, `The function did not answer: ${(error as Error).message}.`);
    } finally {
      fleet.release(member);
    }
  }

  return {
    async handle(path, request, signal) {
      const timeout = AbortSignal.timeout(host.plan.timeout);
      const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
      try {
        return await ask(await fleet.take(either), path, request, either);
      } catch (error) {
        if (error instanceof Refusal) return error.answer;
        if (timeout.aborted && !signal?.aborted) return new Refusal(504, "request timeout").answer;
        throw error;
      }
    },
    async pass(path, incoming, outgoing) {
      const gone = new AbortController();
      outgoing.once("close", () => gone.abort());
      const timeout = AbortSignal.timeout(host.plan.timeout);
      const signal = AbortSignal.any([gone.signal, timeout]);
      try {
        const member = await fleet.take(signal);
        await member.instance.pass(path, incoming, outgoing, signal).finally(() => fleet.release(member));
      } catch (error) {
        // What was begun cannot be taken back.
        if (outgoing.headersSent) return void outgoing.destroy();
        const late = timeout.aborted && new Refusal(504, "request timeout");
        const refusal = error instanceof Refusal ? error : late || new Refusal(502, `It did not answer: ${error}.`);
        outgoing.writeHead(refusal.answer.status, refusal.answer.headers).end(refusal.answer.body);
      }
    },
    prove: fleet.prove,
    drain: fleet.drain,
    close: fleet.close,
    processes: fleet.processes,
  };
}
