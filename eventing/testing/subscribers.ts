import type { Clock } from "../../shared/clock.ts";
import type { HttpRequest, HttpResponse } from "../../shared/http-message.ts";
import type { Send } from "../send.ts";

/** One answer of a subscriber: a status, a whole response, no answer, or what a function makes of the request. */
export type Reply =
  | number
  | Partial<HttpResponse>
  | Error
  | ((request: HttpRequest, signal?: AbortSignal) => Promise<HttpResponse>);

/** A request as it arrived: `at` in milliseconds since the world began. */
export interface Arrival {
  readonly url: string;
  readonly at: number;
  readonly request: HttpRequest;
}

/**
 * Subscribers with set answers: by URL the answers in turn, of which the last stays. Everything else answers 204.
 */
export function subscribers(clock: Clock, replies: Record<string, Reply[]> = {}): { send: Send; arrivals: Arrival[] } {
  const began = clock.now();
  const arrivals: Arrival[] = [];
  return {
    arrivals,
    send: async (url, request, signal) => {
      const turn = arrivals.filter((arrival) => arrival.url === url).length;
      arrivals.push({ url, at: clock.now() - began, request });
      const all = replies[url] ?? [204];
      const reply = all[Math.min(turn, all.length - 1)] as Reply;
      if (reply instanceof Error) throw reply;
      if (typeof reply === "function") return reply(request, signal);
      return { status: 200, headers: {}, body: "", ...(typeof reply === "number" ? { status: reply } : reply) };
    },
  };
}
