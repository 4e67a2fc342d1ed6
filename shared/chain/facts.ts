import type { KubernetesObject } from "../kubernetes/object.ts";
import type { Away } from "./away.ts";

/**
 * Facts that name a step. `ready`: everything that the steps depend on is known. `abandoned`: there is nothing left to
 * protect, and what the chain has put up elsewhere is only taken down.
 */
export interface Known {
  readonly is: "ready" | "abandoned";
}

/**
 * What a look at one object of a chain came to.
 * - `outside`: the chain has nothing to do with the object now; `undecided`, because that could not be found out
 * - `halted`: no step is taken before a person acts, after any step
 * - `unknown`: what the steps depend on could not be asked for; unknown is never absent, so no step is taken
 */
export type Facts<K extends Known> =
  | K
  | { readonly is: "outside"; readonly message: string; readonly undecided?: true }
  | { readonly is: "halted"; readonly message: string; readonly advice?: string }
  | { readonly is: "unknown"; readonly away: Away };

/** An object of a chain, read live, with what else its system reads of it. */
export interface InChain {
  readonly object: KubernetesObject;
}

/** The same with what its steps depend on. */
export type Looked<O extends InChain, K extends Known> = O & { readonly facts: Facts<K> };
