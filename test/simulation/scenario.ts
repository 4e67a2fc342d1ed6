import type { SimulatedEnvironment } from "../harness/simulated/cluster.ts";
import type { History } from "../harness/simulated/history.ts";
import type { User } from "./user.ts";

/** What users and Kubernetes do in a run. Faults, crashes and the workload come on top of it. */
export interface Scenario extends SimulatedEnvironment {
  /** Unique; what `--scenario` takes. */
  readonly name: string;
  /** A sentence: what happens. */
  readonly doc: string;
  /** A rule of it waits for a time to come, which only the sweep notices: sweeps run even where nothing goes wrong. */
  readonly waits?: boolean;
  /** After an outage everything has come to its end within so many sweeps, where its rules have waits of their own. */
  readonly sweepsAfterOutage?: number;
  /**
   * For a scenario of outages of a part: the texts in requests by which each part of an external system is known. A
   * part may be all of it, and one kind of call.
   */
  readonly parts?: {
    readonly texts: readonly string[];
    /** What has not come about although nothing was away that it needs, asked while the part still is. */
    goesOn?(history: History, now: number, away: string): string | undefined;
  };
  /** What users do; every pause is drawn. Calls that the API server refuses are passed over, as a user would. */
  act(user: User): Promise<void>;
}
