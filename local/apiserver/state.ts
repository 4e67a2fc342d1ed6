import type { Clock } from "../../shared/clock.ts";
import type { Random } from "../time/random.ts";
import type { ResourceTable } from "./kinds/table.ts";
import type { Store } from "./store/store.ts";

/** All that a running API server is made of. */
export interface State {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
  readonly resources: ResourceTable;
}

/** Now, as Kubernetes writes timestamps in metadata: RFC 3339 in whole seconds. */
export function timestamp(state: State): string {
  return new Date(state.clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
}
