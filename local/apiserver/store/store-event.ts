import type { Stored } from "./stored.ts";

/** What happened to one object. */
export interface StoreEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** The new version; of a deletion the last state, under the resourceVersion of the deletion. */
  readonly current: Stored;
  /** The version before; absent for `ADDED`. */
  readonly previous?: Stored;
}
