import type { Kind } from "../kubernetes/kind.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { readProgress } from "../progress.ts";
import type { Instruments } from "./instruments.ts";

/** How many objects are in each step, since when the oldest is, and when the first is due, of those that are listed. */
export interface ListedSteps {
  readonly see: (kind: Pick<Kind, "kind">, object: KubernetesObject) => void;
  /** Records the ages, the counts and the due times of what was seen since the last report. */
  readonly report: () => void;
}

interface Seen {
  readonly since: number;
  /** When the first of them is due; Infinity if none has a time. */
  readonly due: number;
  /** One object may be listed several times in a tick. */
  readonly uids: Set<string>;
}

type Conditioned = KubernetesObject & {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly lastTransitionTime?: string;
    }[];
  };
};

const prefix = "holdfast.dev/";

/** What the sweep lists of Knative's on the way of an event. */
const ways = ["ApiServerSource", "Broker"];

/**
 * Reads what rules have written on listed objects. An external system that is away is a step too, which is named like
 * its Event, and so is a source or a broker that is not Ready. A step that no object is in any more is recorded with 0,
 * because a gauge keeps its last value as long as the instance lives.
 */
export function listedSteps(instruments: Pick<Instruments, "stepOldest" | "stepObjects" | "stepDue">): ListedSteps {
  const reported = new Set<string>();
  const seen = new Map<string, Seen>();
  const add = (
    rule: string,
    name: string,
    { since: time = "", next = "" }: { readonly since?: string | undefined; readonly next?: string | undefined },
    { uid }: KubernetesObject["metadata"],
  ) => {
    const since = Date.parse(time);
    if (!since) return;
    const step = JSON.stringify({ "holdfast.rule": rule, "holdfast.step": name });
    const before = seen.get(step);
    seen.set(step, {
      since: Math.min(since, before?.since ?? since),
      due: Math.min(Date.parse(next) || Number.POSITIVE_INFINITY, before?.due ?? Number.POSITIVE_INFINITY),
      uids: (before?.uids ?? new Set()).add(uid),
    });
  };
  return {
    see({ kind }, object) {
      const { metadata } = object;
      for (const key of Object.keys(metadata.annotations ?? {})) {
        if (!key.startsWith(prefix)) continue;
        const name = key.slice(prefix.length).replaceAll(".", "/");
        const progress = readProgress(object, name);
        if (progress) add(name.replace(/\/away$/, ""), progress.step, progress, metadata);
      }
      if (!ways.includes(kind)) return;
      const ready = (object as Conditioned).status?.conditions?.find(({ type }) => type === "Ready");
      if (ready?.status === "True") return;
      const since = ready?.lastTransitionTime ?? metadata.creationTimestamp;
      add("platform/sweep", `${kind}NotReady`, { since }, metadata);
    },
    report() {
      const now = Date.now();
      for (const step of seen.keys()) reported.add(step);
      for (const step of reported) {
        const { since = now, due = Number.POSITIVE_INFINITY, uids } = seen.get(step) ?? {};
        const attributes = JSON.parse(step);
        instruments.stepOldest(Math.max(0, now - since) / 1000, attributes);
        instruments.stepObjects(uids?.size ?? 0, attributes);
        instruments.stepDue(Number.isFinite(due) ? due / 1000 : 0, attributes);
      }
      seen.clear();
    },
  };
}
