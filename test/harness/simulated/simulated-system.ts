import type { ControllerTools } from "../../../local/controllers/controller.ts";
import type { VirtualClock } from "../../../local/time/testing/virtual-clock.ts";
import type { HttpRequest } from "../../../shared/http-message.ts";
import type { ApiRequest } from "../../../shared/kubernetes/transport.ts";
import type { Systems } from "../../../shared/system/system.ts";
import type { SystemTransport } from "../../../shared/system/transport.ts";
import type { FaultSchedule } from "../faults/schedule.ts";
import type { Streams } from "./streams.ts";
import type { Trace } from "./trace.ts";

/** An external system of a run: a stand-in on the run's clock, made again for each. */
export interface SimulatedSystem {
  /** As functions declare it. */
  readonly system: Systems[string];
  readonly transport: SystemTransport;
  /** What answers at other roots than the one that is set; nothing does when absent. */
  readonly transportTo?: (root: string) => SystemTransport;
  /** Of its settings, those that are not as by default. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly credential: (name: string) => Promise<string | undefined>;
  /** Puts what belongs to it on the cluster, before the functions are there; resolves when that watches. */
  join?(tools: ControllerTools): Promise<void>;
  /** Whether an admission webhook that belongs to it is away, and this request of a function is refused with 500. */
  refuses?(request: ApiRequest): boolean;
  /** What a request of this path is about, where neither it nor the body says so: the host of a server. */
  about?(path: string): string;
  /** An outage of it begins, or of this part: what functions hold of it is no longer good. */
  leaves?(part: string | undefined): void;
  /**
   * Undoes what faults have done to it: from now on it works, and is asked to do no more than it is asked by functions.
   */
  restore(): void;
  /** Whether nothing goes on in it. */
  isIdle(): boolean;
}

/** Something that happens outside of the cluster, which invariants may look at. */
export interface Occurrence {
  /** A sentence without its full stop. */
  readonly what: string;
}

/** What an external system is made of. */
export interface SimulatedSystemContext {
  readonly clock: VirtualClock;
  readonly streams: Streams;
  readonly trace: Trace;
  readonly schedule: FaultSchedule;
  /** Whether faults are drawn. */
  readonly faults: boolean;
  /** A fault of its own, by its name, that every call meets which can. */
  readonly everyCall?: string | undefined;
  /** From 0 to 1: the events that it sends and that are lost. */
  readonly drop: number;
  /** Has invariants look at something that happens at this moment. */
  occur(occurrence: Occurrence): void;
  /** Posts an event into the cluster, once. */
  post(url: string, event: HttpRequest): void;
}
