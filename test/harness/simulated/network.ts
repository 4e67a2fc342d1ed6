import type { Clock } from "../../../shared/clock.ts";
import type { HttpRequest } from "../../../shared/http-message.ts";
import type { ApiRequest, ApiResponse, Transport } from "../../../shared/kubernetes/transport.ts";
import type { SystemRequest, SystemResponse, SystemTransport } from "../../../shared/system/transport.ts";
import { apiFailure } from "../api-failure.ts";
import type { Disturb } from "../faults/api.ts";
import { never } from "../faults/kill.ts";
import type { OutageVerdict } from "../faults/outage.ts";
import type { DisturbSystem } from "../faults/simulated-system.ts";
import type { History } from "./history.ts";
import type { Process } from "./process.ts";
import type { Streams } from "./streams.ts";
import type { Trace } from "./trace.ts";

/** One request of a function, before it is sent. `index` counts the requests of all functions from 0. */
export interface Outgoing {
  readonly index: number;
  readonly process: Process;
  readonly request: ApiRequest;
  readonly write: boolean;
  /** The events that the process is at work on: which of them a request is for is not known. */
  readonly events: readonly HttpRequest[];
}

/**
 * What is to happen to a request: its process may die before it is sent, or when it has been answered, the server
 * refuses it, or it is carried out late.
 */
export type Gate = (outgoing: Outgoing) => OutageVerdict | "die before" | "die after" | "conflict" | "refused";

/** What lies between functions and the API server. */
export interface Network {
  carry(
    process: Process,
    request: ApiRequest,
    events: readonly HttpRequest[],
    transport: Transport,
  ): Promise<ApiResponse>;
  /** The same for a request to an external system, which the server's own faults pass by. */
  carryOutside(
    process: Process,
    system: string,
    request: SystemRequest,
    events: readonly HttpRequest[],
    transport: SystemTransport,
  ): Promise<SystemResponse>;
}

export interface NetworkParts {
  readonly clock: Clock;
  readonly streams: Streams;
  readonly trace: Trace;
  readonly history: History;
  readonly gate: Gate;
  readonly disturb: Disturb;
  /** Absent where nothing goes wrong on the way to external systems. */
  readonly disturbOutside?: DisturbSystem;
  /** Objects per page at most, as a server may decide. */
  readonly pageSize: number;
}

const usual = 20;
/** One in so many messages takes much longer. */
const oneIn = 40;
const slowest = 2_000;
const oldest = 5_000;

/** A network that takes its time, loses answers on demand, and answers reads that may be stale with what was. */
export function createNetwork(parts: NetworkParts): Network {
  const { clock, streams, trace, history, gate, disturb, disturbOutside = (_, send) => send(), pageSize } = parts;
  const travel = streams("travel");
  const staleness = streams("staleness");
  let index = 0;
  const pause = async () => {
    const ms = travel.below(travel.below(oneIn) === 0 ? slowest : usual);
    if (ms > 0) await clock.sleep(ms);
  };

  const dying = (process: Process, what: string) => (when: string) => {
    trace.add(process.name, `${what}: killed ${when}`);
    process.kill();
    return never();
  };

  function asAnswered({ path, ...request }: ApiRequest): ApiRequest {
    if (request.method !== "GET") return { ...request, path };
    const mark = path.indexOf("?");
    if (mark < 0) return { ...request, path };
    const query = new URLSearchParams(path.slice(mark + 1));
    const limit = Number(query.get("limit") ?? 0);
    if (limit > pageSize) query.set("limit", String(pageSize));
    // From the watch cache: an answer as old as the cache may be, in one piece.
    if (query.get("resourceVersion") === "0") {
      query.delete("limit");
      query.set("resourceVersion", String(history.versionBefore(staleness.below(oldest))));
      query.set("resourceVersionMatch", "Exact");
    }
    return { ...request, path: `${path.slice(0, mark)}?${query}` };
  }

  return {
    async carry(process, request, events, transport) {
      const write = request.method !== "GET";
      const verdict = gate({ index: index++, process, request, write, events });
      const what = `${request.method} ${decodeURIComponent(request.path)}`;
      const die = dying(process, what);
      if (verdict === "die before") return die("before it was sent");
      await pause();
      if (!process.alive) return never();
      let status = 0;
      try {
        const response = await disturb({ process, request, write }, async () => {
          if (verdict === "conflict") return apiFailure(409, "Conflict");
          if (verdict === "refused") return apiFailure(500, "InternalError");
          if (verdict === "unreachable") throw new Error("connect ECONNREFUSED");
          if (typeof verdict === "object") {
            void clock
              .sleep(verdict.late)
              .then(() => history.as({ name: process.name, process }, () => transport(request)))
              .catch(() => {});
            throw new Error("read ETIMEDOUT");
          }
          const sent = await history.as({ name: process.name, process }, () => transport(asAnswered(request)));
          status = sent.status;
          if (verdict === "die after") return die(`after it was answered ${status}`);
          return sent;
        });
        const outcome = response.status === status ? status : `${status || "not sent"}, seen as ${response.status}`;
        trace.add(process.name, `${what} -> ${outcome}`);
        await pause();
        return response;
      } catch (error) {
        trace.add(process.name, `${what} -> ${status || "not sent"}, no answer: ${(error as Error).message}`);
        await pause();
        throw error;
      }
    },
    async carryOutside(process, system, request, events, transport) {
      const write = request.method !== "GET";
      const { method, path, headers } = request;
      const verdict = gate({
        index: index++,
        process,
        request: { method, path: `/${system}${path}`, headers, ...(request.body ? { body: request.body } : {}) },
        write,
        events,
      });
      const what = `${system}: ${method} ${path} ${request.body?.slice(0, 300) ?? ""}`.trim();
      const die = dying(process, what);
      if (verdict === "die before") return die("before it was sent");
      await pause();
      if (!process.alive) return never();
      let sent = "not sent";
      try {
        const response = await disturbOutside(process, async () => {
          if (verdict === "conflict" || verdict === "refused" || verdict === "unreachable")
            throw new Error("connect ECONNREFUSED");
          if (typeof verdict === "object") {
            void clock
              .sleep(verdict.late)
              .then(() => transport(request))
              .catch(() => {});
            throw new Error("read ETIMEDOUT");
          }
          const answered = await transport(request);
          sent = String(answered.status);
          if (verdict === "die after") return die(`after it was answered ${sent}`);
          return answered;
        });
        trace.add(process.name, `${what} -> ${sent}, received ${response.status}: ${response.body.slice(0, 200)}`);
        await pause();
        return response;
      } catch (error) {
        trace.add(process.name, `${what} -> ${sent}, no answer: ${(error as Error).message}`);
        await pause();
        throw error;
      }
    },
  };
}
