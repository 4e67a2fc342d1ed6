import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Change } from "../../harness/simulated/change.ts";
import type { History } from "../../harness/simulated/history.ts";
import type { Process } from "../../harness/simulated/process.ts";
import type { Occurrence, SimulatedSystem } from "../../harness/simulated/simulated-system.ts";
import type { MayRun } from "../pvc-protection/may-run.ts";
import type { Scenario } from "../scenario.ts";

/** What an invariant may look at: all of it as it is right after a write. */
export interface Truth {
  readonly scenario: Scenario;
  /** Whether nothing goes wrong in this run: no fault, no workload, no event lost. */
  readonly calm: boolean;
  readonly history: History;
  readonly mayRun: MayRun;
  /** The external systems of the run, by the names of the systems that use them. */
  readonly outsides: ReadonlyMap<string, SimulatedSystem>;
  /** Writes of ours on one object that need no change by others to explain them. */
  readonly writesAtFirst: number;
  /** Every change of the run so far, this one included. */
  readonly changes: readonly Change[];
}

/** Something that holds after every write. Answers what is wrong, or `undefined`. */
export interface Invariant {
  readonly name: string;
  /** Where No mutant is known that it finds: the test that shows that it can fail. */
  readonly shownBy?: string;
  check(change: Change, truth: Truth): string | undefined;
  /** The same of what happens in an external system. */
  checkOutside?(occurrence: Occurrence, truth: Truth): string | undefined;
}

/** A write of one of our functions. */
export type OurChange = Change & { readonly by: { readonly process: Process } };

export const isOurs = (change: Change): change is OurChange => change.by.process !== undefined;

/** Whether a change is a write of this rule, or of any rule of this system where only that is named. */
export const isBy = (change: Change, ruleOrSystem: string): change is OurChange =>
  `${change.by.process?.rule}/`.startsWith(`${ruleOrSystem}/`);

export const isClaim = ({ object }: Change) => object.kind === "PersistentVolumeClaim";

export const finalizers = (object: KubernetesObject | undefined) => object?.metadata.finalizers ?? [];

/** Finalizers that leave the object with this change. */
export function leaving({ before, after }: Change): readonly string[] {
  const left = finalizers(after);
  return finalizers(before).filter((finalizer) => !left.includes(finalizer));
}
