import type { Kind } from "./kubernetes/kind.ts";
import type { KubernetesObject } from "./kubernetes/object.ts";

/**
 * A finalizer on objects of a kind, by its default name. Nobody but the rules that declare it removes it: uninstalled
 * while objects carry it, they leave objects behind that can never go.
 */
export interface OwnFinalizer {
  readonly kind: Kind;
  readonly finalizer: string;
}

/** What goes on having an effect on objects when the rule that has written it is gone. */
export interface LeftBehind {
  readonly kind: Kind;
  /** Whether the object has it. Pure. */
  isOn(object: KubernetesObject): boolean;
  /** What such objects are, in the plural: `StatefulSets whose … project has written`. */
  readonly what: string;
  /** One or more whole sentences: what it does without the rule, and how it is undone. */
  readonly effect: string;
}
