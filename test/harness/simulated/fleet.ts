import type { Plan } from "../../../local/serving/plan.ts";
import type { Clock } from "../../../shared/clock.ts";
import type { HttpRequest, HttpResponse } from "../../../shared/http-message.ts";
import type { Transport } from "../../../shared/kubernetes/transport.ts";
import { addressOf } from "../eventing.ts";
import type { Handler, Start } from "../functions.ts";
import type { Network } from "./network.ts";
import { asNewerVersion } from "./newer-version.ts";
import type { Process } from "./process.ts";
import type { SimulatedSystem } from "./simulated-system.ts";
import { startProcess } from "./start-process.ts";
import type { Streams } from "./streams.ts";
import type { Trace } from "./trace.ts";

/** The functions of an installation and their processes. */
export interface Fleet {
  /** Hands an event to the function at a URL. Rejects when no function answers. */
  deliver(url: string, request: HttpRequest): Promise<HttpResponse>;
  /** Hands an event to one more process of a function, started for it. */
  deliverTo(rule: string, request: HttpRequest): Promise<HttpResponse>;
  /** Restarts a function with other settings; requests that are being worked on end under the old ones. */
  configure(rule: string, environment: Readonly<Record<string, string>>): void;
  /** Takes a function away for so many milliseconds. */
  remove(rule: string, ms: number): void;
  /** Has the clocks of all functions jump: by so many milliseconds they are ahead of the server's, or behind. */
  setClocks(ms: number): void;
  /** Brings every function back, with the settings that it was installed with. */
  restore(): void;
  /** The names of the functions that are installed. */
  readonly rules: readonly string[];
}

export interface FleetParts {
  readonly services: readonly Plan[];
  readonly starters: Readonly<Record<string, (start: Start) => Handler>>;
  readonly clock: Clock;
  readonly streams: Streams;
  readonly trace: Trace;
  readonly network: Network;
  readonly outsides: readonly SimulatedSystem[];
  /** Milliseconds by which clocks may be off, either way. */
  readonly skew: number;
  readonly mixed: boolean;
  identify(plan: Plan): Transport;
  readonly post: Start["post"];
}

interface Seat {
  readonly plan: Plan;
  readonly rule: string;
  environment: Readonly<Record<string, string>>;
  /** The process of each version that is installed. */
  running: (Process | undefined)[];
  absentUntil: number;
}

/**
 * Starts a fleet without processes: each function is started by its first event, and again by the first after its
 * death.
 */
export function createFleet(parts: FleetParts): Fleet {
  const { clock, streams, trace, network, outsides, skew, mixed, identify, post } = parts;
  const seats = new Map<string, Seat>();
  for (const plan of parts.services) {
    const rule = plan.image.replace("fn://", "");
    seats.set(rule, { plan, rule, environment: plan.environment, running: [], absentUntil: 0 });
  }
  const addresses = new Map(
    [...seats.values()].map((seat) => [addressOf(seat.plan.namespace, seat.plan.service), seat]),
  );
  const turns = streams("which process");
  const skews = streams("clocks of processes");
  let started = 0;
  let jump = 0;
  const ahead: Clock = {
    now: () => clock.now() + jump,
    after: (ms, run) => clock.after(ms, run),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };

  function start({ plan, rule, environment }: Seat, newer = false, company = false): Process {
    const starter = parts.starters[rule];
    if (!starter) throw new Error(`No function of the repository is called ${rule}.`);
    const name = `${rule.split("/").at(-1)}.${++started}${newer ? " (newer)" : ""}`;
    const say = (_: object, sentence: string) => trace.add(name, `"${sentence}"`);
    const transport = identify(plan);
    return startProcess({
      name,
      rule,
      company,
      environment,
      start: starter,
      clock: ahead,
      skew: skew && skews.below(2 * skew) - skew,
      random: streams(`ids of ${name}`),
      transport: newer ? asNewerVersion(transport) : transport,
      network,
      outsides,
      post,
      log: { debug: say, info: say, warn: say, error: say },
    });
  }

  async function take(seat: Seat, request: HttpRequest): Promise<HttpResponse> {
    if (clock.now() < seat.absentUntil) throw new Error("connection refused: the function is not there");
    const version = mixed ? turns.below(2) : 0;
    let process = seat.running[version];
    if (!process?.alive) {
      process = start(seat, version === 1);
      seat.running[version] = process;
    }
    return handOver(process, request);
  }

  async function handOver(process: Process, request: HttpRequest): Promise<HttpResponse> {
    const { "ce-type": type, "ce-kind": kind, "ce-name": name } = request.headers;
    trace.add(process.name, type ? `is triggered by: ${type.split(".").at(-1)} of ${kind} ${name}` : "is triggered");
    return process.handle(request);
  }

  function seatOf(rule: string): Seat {
    const seat = seats.get(rule);
    if (!seat) throw new Error(`${rule} is not installed.`);
    return seat;
  }

  return {
    rules: [...seats.keys()],
    async deliver(url, request) {
      const seat = addresses.get(new URL(url).origin);
      if (!seat) throw new Error(`No function listens at ${url}.`);
      return take(seat, request);
    },
    deliverTo: (rule, request) => handOver(start(seatOf(rule), false, true), request),
    configure(rule, environment) {
      const seat = seatOf(rule);
      seat.environment = { ...seat.environment, ...environment };
      seat.running = [];
    },
    remove(rule, ms) {
      const seat = seatOf(rule);
      seat.absentUntil = clock.now() + ms;
      for (const process of seat.running) process?.kill();
    },
    setClocks(ms) {
      jump = ms;
    },
    restore() {
      jump = 0;
      for (const seat of seats.values()) {
        seat.absentUntil = 0;
        seat.environment = seat.plan.environment;
        seat.running = [];
      }
    },
  };
}
