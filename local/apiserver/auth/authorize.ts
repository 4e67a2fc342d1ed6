import type { Call } from "../request/call.ts";
import type { State } from "../state.ts";
import type { Attributes } from "./attributes.ts";
import type { Identity } from "./identity.ts";

/** Whether roles allow somebody to do something. Everything is allowed while RBAC is off. */
export function isAllowed(state: State, user: Identity, _attributes: Attributes): boolean {
  return !state.switches.rbac || user.groups.includes("system:masters");
}
export function authorizeCall(_state: State, _call: Call): void {}
export function authorizePath(_state: State, _user: Identity, _method: string, _path: string): void {}
