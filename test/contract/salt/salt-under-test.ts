import type { Clock } from "../../../shared/clock.ts";
import type { SystemTransport } from "../../../shared/system/transport.ts";

/** A Salt that the contract is held against: the real one, which is right by definition, or the stand-in. */
export interface SaltUnderTest {
  readonly transport: SystemTransport;
  readonly clock: Clock;
  readonly account: { readonly eauth: string; readonly username: string; readonly password: string };
  /** With the same password: may only call test.ping. */
  readonly powerless: string;
  /** Two minions, both of them up. */
  readonly minions: readonly [string, string];
  /** How long a token is good, in seconds. */
  readonly tokenExpire: number;
  /** Waits for what was begun, while time passes. */
  settled<T>(work: Promise<T>): Promise<T>;
  /** Absent where nothing can be stopped: what is about failures is skipped then. */
  readonly control?: SaltControl;
}

/** What happens to Salt's own processes. `name` is `master`, `api` or a minion's id. */
export interface SaltControl {
  stop(name: string): Promise<void>;
  start(name: string): Promise<void>;
  /** SIGKILL, for all its processes. */
  kill(name: string): Promise<void>;
  /** SIGKILL for one job's process on a minion, which itself lives on. */
  killJob(jid: string, minion: string): Promise<void>;
}
