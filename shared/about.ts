import type { Call, Decision, Step, WriteStep } from "./decision.ts";
import type { Kind } from "./kubernetes/kind.ts";
import type { KubernetesObject } from "./kubernetes/object.ts";
import type { Write } from "./kubernetes/write.ts";
import type { StepEvent } from "./steps.ts";

/** Where the rule stands after a decision, and when to look again (milliseconds since the epoch). */
export interface Standing {
  readonly step?: Step;
  readonly next?: number;
}

/**
 * Builds decisions about one object; each takes the reason as a whole sentence. See `decision.ts` for what they mean.
 */
export interface About {
  leave(because: string): Decision;
  record(because: string, event: StepEvent): Decision;
  write(
    because: string,
    writes: readonly Write[],
    more?: Pick<WriteStep, "step" | "next" | "event" | "over" | "provided" | "order">,
  ): Decision;
  call(because: string, call: Pick<Call, "step" | "command" | "writes" | "next">): Decision;
  wait(because: string, standing?: Standing): Decision;
  stop(because: string, more?: { readonly step?: Step; readonly event?: StepEvent }): Decision;
}

/** Decisions about `object`, which is of `kind` and was just looked at. */
export function about(kind: Kind, object: KubernetesObject): About {
  const common = { about: object, kind };
  return {
    leave: (because) => ({ ...common, do: "leave", because }),
    record: (because, event) => ({ ...common, do: "record", because, event }),
    write: (because, writes, more) => ({ ...common, do: "write", because, writes, ...more }),
    call: (because, call) => ({ ...common, do: "call", because, ...call }),
    wait: (because, standing) => ({ ...common, do: "wait", because, ...standing }),
    stop: (because, more) => ({ ...common, do: "stop", because, ...more }),
  };
}
