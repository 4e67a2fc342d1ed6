import type { Setting } from "../worlds/world.ts";
import type { User } from "./user.ts";
import type { History } from "./world/history.ts";

/** What users and Kubernetes do in a run. Faults, crashes and the workload come on top of it. */
export interface Scenario {
  /** Unique; what `--scenario` takes. */
  readonly name: string;
  /** A sentence: what happens. */
  readonly doc: string;
  readonly setting: Setting;
  /** Controllers of Kubernetes that are needed besides binder, scheduler, kubelet and claim protection. */
  readonly controllers?: readonly string[];
  /**
   * The admission plugin of Kubernetes' own protection is on although its controller is not, as where only that was
   * switched off.
   */
  readonly admissionPlugin?: boolean;
  /** The server notes who manages which field, which a rule of the scenario reads. It costs a third of each write. */
  readonly managedFields?: boolean;
  /** Milliseconds by which the scheduler sees claims late. */
  readonly claimLag?: number;
  /** A rule of it waits for a time to come, which only the sweep notices: sweeps run even where nothing goes wrong. */
  readonly waits?: boolean;
  /** After an outage everything has come to its end within so many sweeps, where its rules have waits of their own. */
  readonly sweepsAfterOutage?: number;
  /** For a scenario of outages of a part: the texts in requests by which each part of an external system is known. */
  readonly parts?: {
    readonly texts: readonly string[];
    /** What has not come about although nothing was away that it needs, asked while the part still is. */
    goesOn(history: History, now: number, away: string): string | undefined;
  };
  /** What users do; every pause is drawn. Calls that the API server refuses are passed over, as a user would. */
  act(user: User): Promise<void>;
}
