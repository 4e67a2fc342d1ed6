import type { JobOutcome } from "./outcome.ts";

/** What Salt keeps of a job, for one minion. */
export type JobRecord =
  /** The master has no job of this id: it never took one, or has forgotten it (after 24 hours). */
  | { readonly state: "unknown" }
  /** It was published, and the minion's return is not there: it runs, or is lost. */
  | { readonly state: "pending" }
  | { readonly state: "ended"; readonly outcome: JobOutcome };

/** Where a job is on its minion, by the minion itself. */
export type Whereabouts = "running" | "absent" | "unreachable";

/** A job as Salt has it. */
export interface JobView {
  readonly record: JobRecord;
  /**
   * For a pending job. When it is `absent`, `record` was read after the minion had said so: a job that ends between the
   * two questions is neither running nor known to have ended otherwise.
   */
  readonly whereabouts?: Whereabouts;
}
