import type { Kind } from "../kubernetes/kind.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import type { Write } from "../kubernetes/write.ts";

/**
 * A finalizer on objects of a kind, by its default name. Only the rules that declare it remove it: uninstalled
 * while objects carry it, they leave objects behind that can never go.
 */
export interface OwnFinalizer {
  readonly kind: Kind;
  readonly finalizer: string;
  /**
   * What there is outside of the cluster as long as an object carries it, in the plural. An uninstall leaves such a
   * finalizer where it is: without it nothing in the cluster would say that this is still there.
   */
  readonly standsFor?: string;
  /**
   * With `standsFor`: whether the functions are in the middle of something with an object that is not being deleted. An
   * uninstall does not begin then. Reads metadata alone. Pure.
   */
  isUnderWay?(object: KubernetesObject): boolean;
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
  /**
   * The write that takes the effect back, guarded by the object as it was read; `undefined` when there is nothing more
   * to take back. An uninstall asks again after each write, of the object as it is then. Only for what can delete data
   * when it is left: an effect that keeps data stays, and is named. Pure.
   */
  undo?(object: KubernetesObject): Write | undefined;
}
