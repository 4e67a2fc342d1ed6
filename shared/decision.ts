import type { Kind } from "./kubernetes/kind.ts";
import type { KubernetesObject } from "./kubernetes/object.ts";
import type { Write } from "./kubernetes/write.ts";
import type { StepEvent } from "./steps.ts";
import type { Command } from "./system/command.ts";

/** Where a rule stands with an object: one of the rule's declared steps, kept in the object's own annotation. */
export interface Step {
  readonly name: string;
  /** How often the step was tried, where that matters. */
  readonly attempt?: number;
  /** A few more fields for people and for the next run; the whole annotation stays below 1 kB. */
  readonly details?: Readonly<Record<string, unknown>>;
}

interface Common {
  /** The live object the decision is about, as it was looked at. */
  readonly about: KubernetesObject;
  readonly kind: Kind;
  /** A whole sentence that a human can act on; also the note of the Event that goes with the decision. */
  readonly message: string;
}

/** Nothing to do, and nothing to remember: the rule's progress and its Events are cleared. */
export interface Leave extends Common {
  readonly do: "leave";
}

/** Nothing to write but an Event on `about`, where the rule keeps no progress. */
export interface RecordEvent extends Common {
  readonly do: "record";
  readonly event: StepEvent;
}

/**
 * What must be true of another object than the one that is written, whose guard says nothing of it. It is read before
 * the writes and once more behind them: what was written too late is looked at again. What comes in between no reader
 * can see. Of a call it is read between the writes and the command.
 */
export interface Precondition {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly name: string;
  /** Pure. `undefined`: the object is gone. */
  holds(live: KubernetesObject | undefined): boolean;
}

/**
 * Guarded writes, in their order; further steps follow from the events that they cause. The step goes into the patch of
 * `about`, where there is one. Without a step the rule's progress and its Events are cleared, unless `progress` says
 * that both stay as they are. A step's Event follows the write: of a process that dies in between, the annotation alone
 * says the same sentence.
 */
export interface WriteStep extends Common {
  readonly do: "write";
  readonly writes: readonly Write[];
  /** Without all of these nothing is written, and another look is called for. */
  readonly preconditions?: readonly Precondition[];
  readonly step?: Step;
  /** In place of a step: what is written down stays as it is. */
  readonly progress?: "unchanged";
  /** When to look again, where no event will come. Milliseconds since the epoch. */
  readonly next?: number;
  /** `next` is a time that people have set or read, not the end of a pause: it is written as it is. */
  readonly isDeadline?: true;
  /** An Event for what was done, beside the step's. */
  readonly event?: StepEvent;
  /** Reasons of such Events, of this rule on this object, that are no longer true. */
  readonly clears?: readonly string[];
  /**
   * Decisions of a run are carried out side by side; one of a higher order only when all of a lower one have been, and
   * those of its concern have succeeded. 0 when absent.
   */
  readonly order?: number;
  /**
   * What the decision is about, where a run is about several things that do not depend on each other: one that fails
   * holds back the higher orders of the same concern only. Absent: it concerns all of the run, as it does for the other
   * kinds of decisions.
   */
  readonly concern?: string;
}

/**
 * One command to an external system. The step, and writes where there are any, are the intent: they come before the
 * command.
 */
export interface Call extends Common {
  readonly do: "call";
  readonly step: Step;
  readonly writes?: readonly Write[];
  /** Read before the call is noted, and before it is sent. Without all of these another look is called for. */
  readonly preconditions?: readonly Precondition[];
  readonly command: Command;
  /**
   * A write for when the system has answered, with success or with an error of its own: the command has no later
   * effect then. It does not come where no answer arrives, so that what it removes is a note of a call in flight.
   */
  readonly answered?: Write;
  /** A write for when the system refuses the command for good, or does not let us: to repeat it alone does not help. */
  readonly refused?: Write;
  /**
   * Writes that take back what `writes` have noted of the command, for when it is not sent: the API server refuses one
   * of them for good, or any but the first, a precondition does not hold or cannot be read, or the command is
   * `Contended` or `NotSent`. Where the first write meets a conflict nothing is noted. Where it fails for now they do
   * not come: whether the API server has taken it is not known, and another run may have written the same.
   */
  readonly unsent?: Write | readonly Write[];
  /** When to look what has become of it. Milliseconds since the epoch. */
  readonly next?: number;
}

/** Not yet. Without `next` an event is expected to trigger the rule; with it the sweep looks again then. */
export interface Wait extends Common {
  readonly do: "wait";
  /** Absent: what is written down stays as it is. */
  readonly step?: Step;
  /** Milliseconds since the epoch. */
  readonly next?: number;
}

/** A human must act; `message` says what to do. */
export interface Stop extends Common {
  readonly do: "stop";
  readonly step?: Step;
  /** Where there is no step to record one. */
  readonly event?: StepEvent;
}

/** What a rule wants done about one object. */
export type Decision = Leave | RecordEvent | WriteStep | Call | Wait | Stop;
