import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { notImplemented } from "../failure.ts";
import type { Call } from "../request/call.ts";
import type { State } from "../state.ts";

/** Writes single objects as tables of one row, with the columns in the first only. */
export function tableWriter(_state: State, _call: Call): (object: KubernetesObject) => string {
  throw notImplemented("tables");
}
