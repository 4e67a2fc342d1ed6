import type { FollowTools } from "../../eventing/watch/follow.ts";
import type { Recorder } from "./recorder.ts";
import type { Reflections } from "./reflections.ts";

/** Something a controller could not do, and will try again. */
export interface Trouble {
  /** Name of the controller. */
  controller: string;
  /** What it was about: a work queue's key, or a kind. */
  subject: string;
  error: unknown;
}

/** What every controller is given: one identity on one API server, one clock, one source of randomness, one end. */
export interface ControllerTools extends FollowTools {
  reflections: Reflections;
  /** Shows an Event on an object. */
  record: Recorder;
  /** Called with every failure; controllers retry by themselves. */
  trouble(trouble: Trouble): void;
}

/**
 * A controller as it runs: started by a function `start<Name>(tools, switches?)`, given its keys by reflections,
 * working its keys off a queue, ended by `tools.signal`. At rest it holds no timer.
 */
export interface Running {
  /** Resolves when its caches are filled and it has begun to work. */
  readonly synced: Promise<unknown>;
}

/** What a key made by `keyOf` is of; a cluster-scoped object has no namespace. */
export function splitKey(key: string): { namespace: string | undefined; name: string } {
  const slash = key.indexOf("/");
  return slash < 0
    ? { namespace: undefined, name: key }
    : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
