import type { Call, World } from "../worlds/world.ts";

/**
 * What the functions of one system asked of the API server, oldest first: what others ask is counted by their own
 * scenarios.
 */
export const callsOf = ({ calls }: World, system: string): readonly Call[] =>
  calls.filter(({ rule }) => rule.startsWith(`${system}/`));
