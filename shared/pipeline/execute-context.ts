import type { Clock } from "../clock.ts";
import type { Client } from "../kubernetes/client.ts";
import type { Log } from "../log.ts";
import type { Connect } from "../system/connect.ts";
import type { Observe } from "../telemetry/observe.ts";

/** What carrying a decision out takes. */
export interface ExecuteContext {
  readonly client: Client;
  readonly connect: Connect;
  readonly clock: Clock;
  readonly log: Log;
  /** Sees the parts of a run; absent: telemetry is off. */
  readonly observe?: Observe | undefined;
}
