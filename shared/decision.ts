import type { Kind } from "./kubernetes/kind.ts";
import type { KubernetesObject } from "./kubernetes/object.ts";
import type { Write } from "./kubernetes/write.ts";

/** A Kubernetes Event to be shown on an object. */
export interface Notice {
  type: "Normal" | "Warning";
  /** CamelCase, one word for machines. With the object's uid and the rule it identifies the Event. */
  reason: string;
  /** CamelCase: what the rule was about to do. */
  action: string;
  /** A whole sentence, at most 1,024 characters; longer ones are cut. */
  note: string;
}

/** Where a rule stands with an object, kept in the object's own annotation. */
export interface Step {
  name: string;
  /** How often the step was tried, where that matters. */
  attempt?: number;
  /** A few more fields for people and for the next run; the whole annotation stays below 1 kB. */
  details?: Record<string, unknown>;
}

interface Common {
  /** The live object the decision is about, as it was looked at. */
  about: KubernetesObject;
  kind: Kind;
  /** A whole sentence that a human can act on. */
  because: string;
  /** Shown on `about`. */
  notice?: Notice;
  /** Reasons of Events that an earlier decision, of this rule or of one that is named, put on `about` and that are no longer true. */
  retract?: readonly (string | { readonly rule: string; readonly reason: string })[];
}

/** Nothing to do, and nothing to remember: what the rule wrote down about the object is taken away. */
export interface Leave extends Common {
  do: "leave";
}

/** Nothing to write; somebody is to be told. */
export interface Tell extends Common {
  do: "tell";
  notice: Notice;
}

/** One guarded step; further steps follow from the events that these writes cause. */
export interface WriteStep extends Common {
  do: "write";
  writes: readonly Write[];
}

/** One command to an external system. The intent is written to the annotation before the command is sent. */
export interface Call extends Common {
  do: "call";
  intent: Step;
  /** The name of one of the rule's `commands`, and what it is called with. */
  command: { name: string; input: unknown };
}

/** Not yet. Without `next` an event is expected to wake the rule; with it the sweep looks again then. */
export interface Wait extends Common {
  do: "wait";
  step?: Step;
  /** Milliseconds since the epoch. */
  next?: number;
}

/** A human must act; `because` says what to do. */
export interface Stop extends Common {
  do: "stop";
  step?: Step;
}

/** What a rule wants done about one object. */
export type Decision = Leave | Tell | WriteStep | Call | Wait | Stop;
