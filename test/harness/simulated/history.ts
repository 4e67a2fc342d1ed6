import type { StoreEvent } from "../../../local/apiserver/store/stored.ts";
import type { Clock } from "../../../shared/clock.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Actor, Change } from "./change.ts";

const forgetAfter = 10_000;

/** Everything that was committed to the API server, by whom, and what there is now. */
export interface History {
  /** Takes in one committed change, made by the actor of the moment. */
  observe(collection: string, event: StoreEvent): void;
  /** Does something in the name of an actor: what is committed before it returns is theirs. */
  as<T>(actor: Actor, act: () => T): T;
  /** The live objects of a kind that is kept. */
  live(kind: string): readonly KubernetesObject[];
  /** The resourceVersion of about `ms` milliseconds ago, for reads that may be stale. */
  versionBefore(ms: number): number;
}

const kubernetes: Actor = { name: "kubernetes" };

/**
 * An empty history; `onChange` is called with each change of a claim, a pod, an Event, or an object of one of these
 * kinds as it is committed.
 */
export function createHistory(clock: Clock, more: readonly string[], onChange: (change: Change) => void): History {
  const kinds = new Set(["PersistentVolumeClaim", "Pod", "Event", ...more]);
  const objects = new Map<string, KubernetesObject>();
  let versions: { at: number; version: number }[] = [];
  let actor = kubernetes;
  const writers = new Map<string, Actor>();
  return {
    observe(_, { type, current, previous }) {
      versions.push({ at: clock.now(), version: current.version });
      if (versions.length > 2000) versions = versions.filter(({ at }) => at > clock.now() - forgetAfter);
      const { object } = current;
      if (!kinds.has(object.kind)) return;
      const key = `${object.kind} ${current.key}`;
      const beforeBy = writers.get(key);
      if (type === "DELETED") {
        objects.delete(key);
        writers.delete(key);
      } else {
        objects.set(key, object);
        writers.set(key, actor);
      }
      const after = type === "DELETED" ? undefined : object;
      const { version } = current;
      onChange({ by: actor, at: clock.now(), version, before: previous?.object, beforeBy, after, object });
    },
    as(next, act) {
      const before = actor;
      actor = next;
      try {
        return act();
      } finally {
        actor = before;
      }
    },
    live: (kind) => [...objects.values()].filter((object) => object.kind === kind),
    versionBefore(ms) {
      const until = clock.now() - ms;
      return versions.findLast(({ at }) => at <= until)?.version ?? versions[0]?.version ?? 1;
    },
  };
}
