import type { OutageTarget } from "../harness/faults/outage.ts";
import type { SimulatedSystem, SimulatedSystemContext } from "../harness/simulated/simulated-system.ts";
import type { Invariant, Truth } from "./invariants/invariant.ts";
import type { LivenessCheck } from "./liveness/liveness-check.ts";
import type { Mutant } from "./mutants/mutant.ts";
import type { Scenario } from "./scenario.ts";
import type { Sequence } from "./sequence.ts";
import type { Operation } from "./workload.ts";

/**
 * What the simulation knows of one system: a folder of `functions/`, and the folder of the same name beside this file.
 */
export interface System {
  /** As the folder is called. */
  readonly name: string;
  readonly scenarios: readonly Scenario[];
  /**
   * What must hold after every write of a run in which functions of this system are installed, whosever scenario it is.
   */
  readonly invariants: readonly Invariant[];
  /** What must have come about when faults have ended and a few sweeps have passed. */
  readonly liveness: readonly LivenessCheck[];
  /** What users and operators may do to this system beside a scenario, and beside what they do to all. */
  readonly workload: Readonly<Record<string, Operation>>;
  /**
   * Functions with a fault each, which the simulation must find: at least one for everything that the rules take care
   * of.
   */
  readonly mutants: readonly Mutant[];
  /** The external system that its functions use, on the clock of a run. */
  readonly outside?: (context: SimulatedSystemContext) => SimulatedSystem;
  /** Clusters of their own that its functions read, and that may be away. */
  readonly otherClusters?: readonly OutageTarget[];
  /** What users do in a run of this number, drawn: each call returns the same operations, to be done once. */
  readonly sequence: (number: number) => Sequence;
  /** What has come of the objects of this system, line by line, the same however late it came. */
  readonly end: (truth: Truth) => readonly string[];
  /** Within so many sweeps after the last fault everything must have come to its end; four by default. */
  readonly sweeps?: number;
  /** So long after its end something is looked at once more (milliseconds), which is written down until then. */
  readonly settles?: number;
  /** Writes of ours on one object that need no change by others to explain them; six by default. */
  readonly writesAtFirst?: number;
  /** Kinds that its invariants and liveness checks look at besides claims, pods and Events. */
  readonly kinds?: readonly string[];
}
