import type { Clock } from "../clock.ts";
import type { Client } from "../kubernetes/client.ts";
import type { Observed } from "../kubernetes/lazy-client.ts";
import type { Log } from "../log.ts";
import type { Connect } from "../system/connect.ts";
import type { Observe } from "../telemetry/observe.ts";

/** What a function stands on. In a process: the real ones; in a simulation: a world's. */
export interface Tools<Settings> {
  /** Asked for only when an event needs a look: irrelevant events never pay for the client. */
  readonly client: () => Client | Promise<Client>;
  /** Asked for none but the systems that the rule declares; absent where it declares none. */
  readonly connect?: Connect;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: Settings;
  /** Whether only events of senders that have proven who they are come this far; absent: anyone may have sent one. */
  readonly verifiesSenders?: boolean;
  /** Sees the parts of each run; absent: telemetry is off. */
  readonly observe?: Observe;
  /** Sees the calls of a client that a rule makes; absent: telemetry is off. */
  readonly observedClient?: Observed;
}
