import type { Change } from "../../shared/event/hint.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import { pollSignal, slug } from "../../shared/rule.ts";
import type { Declared } from "./declared.ts";
import { familyOf } from "./families.ts";
import { metadataOf } from "./metadata.ts";
import { requestSeconds } from "./service.ts";

/** Events of one kind that a Trigger lets through; `sweep` for those that the sweep sends in place of lost ones. */
interface Awaited {
  readonly kind: Kind;
  readonly changes: readonly (Change | "sweep")[];
  /** The type of a signal. */
  readonly signal?: string;
}

/** A Trigger that is to be written. */
export interface PlannedTrigger {
  /** The function that it triggers. */
  readonly of: string;
  readonly name: string;
  readonly family: string;
  /** The overlay that installs it; absent: the default. */
  readonly overlay?: string;
  readonly awaits: readonly Awaited[];
}

/**
 * The Triggers of a function: one per broker, because each costs a request for every event of its broker; those of an
 * overlay apart, so that an overlay adds objects and changes none.
 */
export function triggersOf({ name: of, triggers = [], sweep = [] }: Declared): readonly PlannedTrigger[] {
  const planned = new Map<string, PlannedTrigger & { awaits: Awaited[] }>();
  const add = (awaited: Awaited, overlay?: string) => {
    const family = familyOf(awaited.kind);
    const name = [slug(of), family, ...(overlay ? [overlay] : [])].join("-");
    const trigger = planned.get(name) ?? { of, name, family, ...(overlay ? { overlay } : {}), awaits: [] };
    trigger.awaits.push(awaited);
    planned.set(name, trigger);
  };
  for (const { overlay, ...awaited } of triggers) add(awaited, overlay);
  for (const kind of new Set(sweep.map(({ kind }) => kind))) add({ kind, changes: ["sweep"] });
  for (const { kind } of sweep.filter(({ alone }) => alone)) add({ kind, changes: [], signal: pollSignal(of) });
  return [...planned.values()];
}

/**
 * What the broker does when the function does not take an event. Nothing of it is inherited, so all of it is said.
 *
 * It stays the same from release to release: Knative replaces the Subscription of a Trigger whose delivery changes, and
 * of many at once the broker's channel keeps old ones (docs/stale-subscribers.md). A filter may change, because only
 * the broker's filter reads it.
 */
const delivery = {
  retry: 5,
  backoffPolicy: "exponential",
  backoffDelay: "PT0.5S",
  // Longer than the Service's own: an event that is sent again while it is still worked on costs twice.
  timeout: `PT${requestSeconds + 10}S`,
};

/** The Trigger as an object. Its subscriber's namespace is its own, so that an overlay may move both. */
export function triggerManifest({ of, name, family, awaits }: PlannedTrigger, deadLetters: string | undefined): object {
  return {
    apiVersion: "eventing.knative.dev/v1",
    kind: "Trigger",
    metadata: metadataOf(of, name),
    spec: {
      broker: family,
      filters: [filterOf(awaits)],
      subscriber: { ref: functionRef(of) },
      delivery: { ...delivery, ...(deadLetters ? { deadLetterSink: { ref: functionRef(deadLetters) } } : {}) },
    },
  };
}

/** A function as the receiver of events, in the namespace of the object that says so. */
export function functionRef(name: string) {
  return { apiVersion: "serving.knative.dev/v1", kind: "Service", name: slug(name) };
}

function filterOf(awaits: readonly Awaited[]): object {
  const any = alternatives(awaits);
  const [only] = any;
  return any.length === 1 && only ? only : { any };
}

/** A filter for each change of each kind. */
export function alternatives(awaits: readonly Awaited[]): readonly object[] {
  return awaits.flatMap(({ kind: { apiVersion, kind }, changes, signal }) =>
    [...changes.map(eventType), ...(signal ? [signal] : [])].map((type) => ({
      exact: { type, apiversion: apiVersion, kind },
    })),
  );
}

/** The type of the events that an ApiServerSource in Resource mode, or the sweep, sends. */
function eventType(change: Change | "sweep"): string {
  return change === "sweep" ? "dev.holdfast.sweep" : `dev.knative.apiserver.resource.${change}`;
}
