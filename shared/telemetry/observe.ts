import type { Decision } from "../decision.ts";
import type { Progress } from "../progress.ts";
import type { Subject } from "../subject.ts";

/** A part of a rule's way from an event to its writes. */
export type Part =
  /** `events`: ids of the CloudEvents that share the run. */
  | { readonly name: "run"; readonly rule: string; readonly subject: Subject; readonly events: readonly string[] }
  | { readonly name: "look" | "decide" }
  /** One decision is carried out. `before`: what the rule had written down about the object. */
  | {
      readonly name: "decision";
      readonly rule: string;
      readonly decision: Decision;
      readonly before: () => Progress | undefined;
    };

/** Does the work of a part, at once, and returns what it returns. */
export type Observe = <Result>(part: Part, work: () => Result) => Result;
