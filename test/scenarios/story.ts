import type { Setting, World } from "../worlds/world.ts";

/** One story about a cluster, told against the Kubernetes API alone, so that every world can tell it. */
export interface Story {
  /** A sentence: what holds. Unique among the stories of a system. */
  readonly title: string;
  /** Milliseconds, where it takes long: only worlds on virtual time tell it then. */
  readonly takes?: number;
  /** Settings in which the story is told; absent: all of its system. */
  readonly settings?: readonly Setting[];
  /** The story reaches beyond its namespace, as a sweep does: no other one is told at the same time. */
  readonly alone?: boolean;
  /** The story looks into functions, drives one by hand or stands in their way, which worlds that run them as processes do not let it do. */
  readonly within?: boolean;
  /** The functions are gone for a while: worlds of processes tell it where the cluster stays without them. */
  readonly absent?: true;
  /** What comes about is for people alone, and takes an event: the sweep does not look for it. */
  readonly byEventsOnly?: true;
  /** The story shows a harm that its setting does not prevent: the system's invariants are not asked for. */
  readonly harms?: boolean;
  tell(world: World): Promise<void>;
}
