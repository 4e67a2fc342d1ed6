/** How much has happened since the start. What the sweep does by the clock is counted apart. */
export interface Counts {
  /** Events that sources have sent about changes. */
  readonly emitted: number;
  /** Events that functions have answered. */
  readonly delivered: number;
  /** Processes that have been started. */
  readonly started: number;
  readonly sweeps: number;
}
