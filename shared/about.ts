import type { Call, Decision, Step, WriteStep } from "./decision.ts";
import type { Kind } from "./kubernetes/kind.ts";
import type { KubernetesObject } from "./kubernetes/object.ts";
import type { Write } from "./kubernetes/write.ts";
import type { StepEvent } from "./steps.ts";

/** Where the rule stands after a decision, and when to look again (milliseconds since the epoch). */
export interface StepAndNext {
  readonly step?: Step;
  readonly next?: number;
}

/**
 * Builds decisions about one object; each takes the reason as a whole sentence. See `decision.ts` for what they mean.
 */
export interface About {
  leave(message: string): Decision;
  record(message: string, event: StepEvent): Decision;
  write(
    message: string,
    writes: readonly Write[],
    more?: Pick<
      WriteStep,
      "step" | "progress" | "next" | "isDeadline" | "event" | "clears" | "preconditions" | "order" | "concern"
    >,
  ): Decision;
  call(
    message: string,
    call: Pick<Call, "step" | "command" | "writes" | "preconditions" | "answered" | "refused" | "unsent" | "next">,
  ): Decision;
  wait(message: string, standing?: StepAndNext): Decision;
  stop(message: string, more?: { readonly step?: Step; readonly event?: StepEvent }): Decision;
}

/** Decisions about `object`, which is of `kind` and was just looked at. */
export function about(kind: Kind, object: KubernetesObject): About {
  const common = { about: object, kind };
  return {
    leave: (message) => ({ ...common, do: "leave", message }),
    record: (message, event) => ({ ...common, do: "record", message, event }),
    write: (message, writes, more) => ({ ...common, do: "write", message, writes, ...more }),
    call: (message, call) => ({ ...common, do: "call", message, ...call }),
    wait: (message, standing) => ({ ...common, do: "wait", message, ...standing }),
    stop: (message, more) => ({ ...common, do: "stop", message, ...more }),
  };
}
