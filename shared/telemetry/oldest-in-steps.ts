import type { KubernetesObject } from "../kubernetes/object.ts";
import { readProgress } from "../progress.ts";
import type { Instruments } from "./instruments.ts";

/** Since when the oldest object is in each step, of those that are listed. */
export interface OldestInSteps {
  readonly see: (object: KubernetesObject) => void;
  /** Records the ages of what was seen since the last report. */
  readonly report: () => void;
}

const prefix = "holdfast.dev/";

/**
 * Reads what rules have written on listed objects. An external system that is away is a step too, which is named like
 * its Event. A step that no object is in any more is recorded with an age of 0, because a gauge keeps its last value as
 * long as the instance lives.
 */
export function oldestInSteps({ stepOldest }: Pick<Instruments, "stepOldest">): OldestInSteps {
  const reported = new Set<string>();
  const oldest = new Map<string, number>();
  return {
    see(object) {
      for (const key of Object.keys(object.metadata.annotations ?? {})) {
        if (!key.startsWith(prefix)) continue;
        const name = key.slice(prefix.length).replaceAll(".", "/");
        const progress = readProgress(object, name);
        const since = progress && Date.parse(progress.since);
        if (!since) continue;
        const step = JSON.stringify({ "holdfast.rule": name.replace(/\/away$/, ""), "holdfast.step": progress.step });
        oldest.set(step, Math.min(since, oldest.get(step) ?? since));
      }
    },
    report() {
      for (const step of oldest.keys()) reported.add(step);
      for (const step of reported)
        stepOldest(Math.max(0, Date.now() - (oldest.get(step) ?? Date.now())) / 1000, JSON.parse(step));
      oldest.clear();
    },
  };
}
