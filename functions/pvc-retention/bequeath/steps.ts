import type { Step, Wait, WriteStep } from "../../../shared/decision.ts";
import { removeFinalizer } from "../../../shared/kubernetes/finalizer.ts";
import { StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import { labelFor, progressKey } from "../../../shared/progress.ts";
import { deletingRule as name } from "../../../shared/retention/cascade.ts";
import type { StatefulSet } from "../../../shared/retention/stateful-set.ts";
import { retentionFinalizer } from "../../../shared/retention/traces.ts";

/** The step on a set whose claims are kept. */
export const keeping = "keeping";

/** What is still to be done is written down on the set. */
export function wait(set: StatefulSet, step: Step, because: string): Wait {
  return { about: set, kind: Sets, do: "wait", because, step };
}

/** Takes the finalizer away, and what was written down with its due time. */
export function letGo(set: StatefulSet, because: string): WriteStep {
  const labels = Object.keys(labelFor(set, name, undefined) ?? {});
  const writes = [removeFinalizer(Sets, set, retentionFinalizer, [progressKey(name)], labels)];
  return { about: set, kind: Sets, do: "write", because, writes };
}
