import type { Call, Cluster } from "../harness/cluster.ts";

/**
 * What the functions of one system asked of the API server, oldest first: what others ask is counted by their own
 * scenarios.
 */
export const callsOf = ({ calls }: Cluster, system: string): readonly Call[] =>
  calls.filter(({ rule }) => rule.startsWith(`${system}/`));
