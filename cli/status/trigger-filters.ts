import { compileAttributes, compileFilters, type FilterSpec } from "../../eventing/filter/filter.ts";
import { sweepSource, sweepType } from "../../functions/platform/lib/kept-event.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import { pollSignal, type Rule, slug } from "../../shared/rule.ts";
import type { Finding } from "../output/finding.ts";

/** As much of a Trigger of Knative as says which events it lets pass. */
export interface FilteringTrigger {
  readonly spec?: {
    readonly subscriber?: { readonly ref?: { readonly name?: string }; readonly uri?: string };
    readonly filter?: { readonly attributes?: Readonly<Record<string, string>> };
    /** Of any dialect: Knative has more than Holdfast reads. */
    readonly filters?: readonly object[];
  };
}

/** Neither a namespace nor a name of any object, because of its capital letters. */
const anyOther = "ANY-OTHER";

/**
 * Functions whose Triggers keep events of the sweep away, all of them or those of some objects. What a function holds
 * there goes only with the sweep when its event was lost. A function is left out where one of its Triggers has a filter
 * of a dialect that is not known here.
 */
export function sweepKeptOut(
  triggers: readonly FilteringTrigger[],
  functions: ReadonlyMap<string, unknown>,
  rules: readonly Rule[],
): readonly Finding[] {
  const kept = rules.flatMap(({ name, sweep }) => {
    const own = triggers.filter((trigger) => leadsTo(trigger, slug(name)));
    if (!functions.has(slug(name)) || own.length === 0 || !own.every(({ spec }) => isKnown(spec?.filters ?? [])))
      return [];
    const kinds = sweep
      .filter(({ kind, alone }) => !reaches(own, kind, alone ? pollSignal(name) : sweepType))
      .map(({ kind }) => kind.kind);
    return kinds.length > 0 ? [`${slug(name)} (${[...new Set(kinds)].join(", ")})`] : [];
  });
  if (kept.length === 0) return [];
  return [
    {
      what:
        `Filters of Triggers keep events of the sweep away from ${kept.join("; ")}. If another event of such an ` +
        "object is lost, what these functions hold there stays so for ever.",
      todo:
        "Let all events whose types begin with dev.holdfast. pass each filter that you have added: docs/tune.md " +
        "shows how.",
    },
  ];
}

/** Whether a Trigger sends events to a Service, or to one of its revisions: Knative's address `<tag>-<service>`. */
export function leadsTo({ spec }: FilteringTrigger, service: string): boolean {
  const { ref, uri = "" } = spec?.subscriber ?? {};
  const [host = ""] = URL.parse(uri)?.hostname.split(".") ?? [];
  return ref?.name === service || host.endsWith(`-${service}`);
}

/** Whether an event of the sweep passes one of the Triggers, whichever object of the kind it names. */
function reaches(triggers: readonly FilteringTrigger[], { apiVersion, kind, namespaced }: Kind, type: string): boolean {
  const filters = triggers.map(({ spec: { filter, filters = [] } = {} }) =>
    filters.length > 0 ? compileFilters(filters as readonly FilterSpec[]) : compileAttributes(filter?.attributes ?? {}),
  );
  const values = (attribute: string) => [anyOther, ...triggers.flatMap(({ spec }) => valuesOf(spec, attribute))];
  const event = { specversion: "1.0", id: "1", source: sweepSource, type, apiversion: apiVersion, kind };
  return (namespaced ? values("namespace") : [""]).every((namespace) =>
    values("name").every((name) => filters.some((passes) => passes({ ...event, namespace, name }))),
  );
}

/** What filters compare an attribute with, at any depth. */
function valuesOf(filters: unknown, attribute: string): readonly string[] {
  if (typeof filters !== "object" || filters === null) return [];
  return Object.entries(filters).flatMap(([key, value]) =>
    key === attribute && typeof value === "string" ? [value] : valuesOf(value, attribute),
  );
}

function isKnown(filters: readonly object[]): boolean {
  return filters.every((filter) =>
    Object.entries(filter).every(([dialect, operand]) => {
      if (dialect === "all" || dialect === "any") return isKnown(operand);
      return dialect === "not" ? isKnown([operand]) : ["exact", "prefix", "suffix"].includes(dialect);
    }),
  );
}
