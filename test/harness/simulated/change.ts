import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Process } from "./process.ts";

/** Who writes: Kubernetes, a user, or a process of one of our functions. */
export interface Actor {
  readonly name: string;
  /** Set for our functions. */
  readonly process?: Process;
}

/** One committed write of one object. */
export interface Change {
  readonly by: Actor;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly version: number;
  readonly before: KubernetesObject | undefined;
  /** Who has written `before`, where that is known. */
  readonly beforeBy?: Actor | undefined;
  /** `undefined` when the object is gone with this write. */
  readonly after: KubernetesObject | undefined;
  /** The object, whichever state of it there is. */
  readonly object: KubernetesObject;
}
