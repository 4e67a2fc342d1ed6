import type { Kind } from "./kubernetes/kind.ts";

/**
 * What the sweep looks for on behalf of a rule whose events were lost. The sweep also looks after each object whose
 * progress has a due time, and after every object once in a while.
 */
export interface Sweep {
  readonly kind: Kind;
  /** Being deleted with the finalizer, or alive without it, by its default name. */
  readonly when?: { readonly deletingWith: string } | { readonly aliveWithout: string };
  /** Leaves out objects that it does not match, as kubectl's `-l`. */
  readonly labelSelector?: string;
  /** How often every object is looked after, for example `10m`; the table's own default, six hours, when absent. */
  readonly every?: string;
  /** What `every` asks for is for this rule alone: it triggers none of the others that look after the kind. */
  readonly alone?: true;
}

/** Objects that are being deleted and still carry the finalizer. */
export const whileDeleting = (kind: Kind, finalizer: string): Sweep => ({ kind, when: { deletingWith: finalizer } });

/** Objects that are not being deleted and lack the finalizer. */
export const lacking = (kind: Kind, finalizer: string): Sweep => ({ kind, when: { aliveWithout: finalizer } });

/** Objects with the label `key=true`, at each sweep: what one rule has seen, and others act upon. */
export const labelled = (kind: Kind, key: string): Sweep => ({ kind, labelSelector: `${key}=true`, every: "1m" });

/** Objects whose due time has passed. */
export const due = (kind: Kind): Sweep => ({ kind });

/** Every object of a kind, once in six hours: for events that were lost. */
export const resync = (kind: Kind): Sweep => ({ kind });

/**
 * Every object of a kind once in this time, for this rule alone: for what changes outside of Kubernetes, and sends
 * no event. What the rule then writes down triggers the others.
 */
export const poll = (kind: Kind, every: string): Sweep => ({ kind, every, alone: true });
