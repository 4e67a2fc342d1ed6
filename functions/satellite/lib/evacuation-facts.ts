import type { Facts, InChain } from "../../../shared/chain/facts.ts";
import type { DataFacts } from "./data/data-facts.ts";
import type { SatelliteSnapshot } from "./look-at-satellite.ts";
import type { MachineSeen } from "./machine.ts";
import type { PersistentVolumeObject, VolumeFacts } from "./volumes.ts";

/** Another satellite of the same LinstorCluster. */
export interface Neighbour {
  readonly name: string;
  /** It goes, or is to be evacuated with its Machine. */
  readonly deleting: boolean;
  /** Its condition Configured is True for the generation that it has. */
  readonly configured: boolean;
}

/** A satellite that is being evacuated or wants to be. */
export interface Contender {
  readonly name: string;
  readonly inProgress: boolean;
  /** Milliseconds since the epoch: since when it is in progress, or waits. */
  readonly since: number;
}

/** All that the nine steps depend on, read in one run. */
interface Surroundings {
  /** Of the Node, its LinstorSatellite and its LINSTOR node. */
  readonly node: string;
  /** The evacuation has been written down as begun. */
  readonly begun: boolean;
  /**
   * Whether the LinstorSatellite itself is being deleted, or only the Machine under it; and whether our finalizer holds
   * it.
   */
  readonly satellite: { readonly deleting: boolean; readonly held: boolean };
  /** Our hooks on the Machine that was written down while the Node existed; absent when there is none any more. */
  readonly hooks?: { readonly preDrain: boolean; readonly preTerminate: boolean };
  readonly machine?: MachineSeen;
  readonly volumes: readonly VolumeFacts[];
  /** PersistentVolumes that `volumes` are about, by name. */
  readonly objects: ReadonlyMap<string, PersistentVolumeObject>;
  readonly neighbours: readonly Neighbour[];
  /** When the wait for neighbours began, as far as it was written down, and after how long they are not waited for. */
  readonly neighboursSince?: number;
  readonly neighboursLimit?: number;
  /**
   * How long a volume may take to be attached elsewhere, in milliseconds; 0 is not at all, absent is as long as it
   * takes.
   */
  readonly reattachLimit?: number;
  /** Who is or wants to be evacuated, and how many may be at a time. */
  readonly contenders: readonly Contender[];
  readonly slots: number;
  /** The annotation that says in which LINSTOR the node is, where it does not say so yet. */
  readonly note: Readonly<Record<string, string>>;
}

/** `ready`: LINSTOR was asked. */
export interface ReadyFacts extends Surroundings {
  readonly is: "ready";
  /** What LINSTOR says; absent when it does not know the node. */
  readonly data?: DataFacts;
}

/** `abandoned`: the whole cluster is deleted, or there is no LINSTOR to ask. */
export interface AbandonedFacts extends Surroundings {
  readonly is: "abandoned";
  /** Why, as a sentence. */
  readonly message: string;
}

export type EvacuationFacts = ReadyFacts | AbandonedFacts;

/** A satellite that may be in the chain. */
export interface SatelliteInChain extends SatelliteSnapshot, InChain {}

/** The same with what its steps depend on. */
export type LookedSatellite = SatelliteInChain & { readonly facts: Facts<EvacuationFacts> };
