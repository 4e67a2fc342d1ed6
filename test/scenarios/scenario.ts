import type { Cluster, Setting } from "../harness/cluster.ts";

/** A scenario of a cluster. It uses the Kubernetes API alone, so that it runs in every cluster. */
export interface Scenario {
  /** A sentence: what holds. Unique among the scenarios of a system. */
  readonly title: string;
  /** Milliseconds, where it takes long: only clusters on virtual time run it then. */
  readonly takes?: number;
  /** Settings in which the scenario runs; absent: all of its system. */
  readonly settings?: readonly Setting[];
  /** The scenario reaches beyond its namespace, as a sweep does: no other one runs at the same time. */
  readonly alone?: boolean;
  /**
   * The scenario looks into functions, drives one by hand or stands in their way, which clusters that run them as
   * processes do not let it do.
   */
  readonly within?: boolean;
  /** The functions are gone for a while: clusters of processes run it where the cluster stays without them. */
  readonly absent?: true;
  /** What comes about is for people alone, and takes an event: the sweep does not look for it. */
  readonly byEventsOnly?: true;
  /** The scenario shows a harm that its setting does not prevent: the system's invariants are not asked for. */
  readonly harms?: boolean;
  run(cluster: Cluster): Promise<void>;
}
