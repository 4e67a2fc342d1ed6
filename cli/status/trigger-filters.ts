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

/** Neither a namespace nor a name of any object, because it is in upper case. */
const anyOther = "ANY-OTHER";

/**
 * Functions whose Triggers keep events of the sweep away, all of them or those of some objects, and functions that get
 * no event at all of a change that their rule declares. What a function holds goes only with the sweep when an event
 * was lost. A function is left out where one of its Triggers has a filter of a dialect that is not known here, or on
 * what only the source or the event knows, such as `source`.
 */
export function keptOut(
  triggers: readonly FilteringTrigger[],
  functions: ReadonlyMap<string, unknown>,
  rules: readonly Rule[],
): readonly Finding[] {
  const read = rules.flatMap((rule) => {
    const own = triggers.filter((trigger) => leadsTo(trigger, slug(rule.name)));
    const isRead = functions.has(slug(rule.name)) && own.length > 0;
    const isReadable = ({ spec: { filter, filters = [] } = {} }: FilteringTrigger) =>
      isKnown(filters) && areKnown(filter?.attributes ?? {});
    return isRead && own.every(isReadable) ? [{ rule, own }] : [];
  });
  const swept = read.flatMap(({ rule: { name, sweep }, own }) =>
    named(
      name,
      sweep
        .filter(({ kind, alone }) => !lets(own, kind, alone ? pollSignal(name) : sweepType, "all"))
        .map(({ kind }) => kind.kind),
    ),
  );
  const changed = read.flatMap(({ rule, own }) =>
    named(
      rule.name,
      rule.triggers.flatMap(({ kind, changes, overlay }) =>
        changes
          .filter((change) => overlay === undefined && !lets(own, kind, `${changeType}${change}`, "some"))
          .map((change) => `${kind.kind} ${change}`),
      ),
    ),
  );
  return [
    ...finding(
      swept,
      (kept) =>
        `Filters of Triggers keep events of the sweep away from ${kept}. If another event of such an object is lost, ` +
        "what these functions hold there stays so for ever.",
      "Let all events whose types begin with dev.holdfast. pass each filter that you have added: docs/tune.md " +
        "shows how.",
    ),
    ...finding(
      changed,
      (kept) =>
        `No Trigger brings these changes: ${kept}. The functions see them only with the sweep, some after six hours. ` +
        "That may be too late for a policy Retain, or for a request to keep a volume.",
      "If your overlay has a copy of eventing.yaml, add to it what the new file has more. If it has filters of " +
        "yours, correct them: docs/tune.md shows how. Then apply the overlay, or the chart, again.",
    ),
  ];
}

/** How the types of changes begin that sources send, in Resource mode. */
const changeType = "dev.knative.apiserver.resource.";

const named = (rule: string, what: readonly string[]): readonly string[] =>
  what.length > 0 ? [`${slug(rule)} (${[...new Set(what)].join(", ")})`] : [];

const finding = (kept: readonly string[], what: (kept: string) => string, todo: string): readonly Finding[] =>
  kept.length > 0 ? [{ what: what(kept.join("; ")), todo }] : [];

/** Whether a Trigger sends events to a Service, or to one of its revisions: Knative's address `<tag>-<service>`. */
export function leadsTo({ spec }: FilteringTrigger, service: string): boolean {
  const { ref, uri = "" } = spec?.subscriber ?? {};
  const [host = ""] = URL.parse(uri)?.hostname.split(".") ?? [];
  return ref?.name === service || host.endsWith(`-${service}`);
}

/** Whether an event passes one of the Triggers: of all objects of the kind, or of some. */
function lets(
  triggers: readonly FilteringTrigger[],
  { apiVersion, kind, namespaced }: Kind,
  type: string,
  of: "all" | "some",
): boolean {
  const filters = triggers.map(({ spec: { filter, filters = [] } = {} }) =>
    filters.length > 0 ? compileFilters(filters as readonly FilterSpec[]) : compileAttributes(filter?.attributes ?? {}),
  );
  const values = (attribute: string) => [anyOther, ...triggers.flatMap(({ spec }) => valuesOf(spec, attribute))];
  const event = { specversion: "1.0", id: "1", source: sweepSource, type, apiversion: apiVersion, kind };
  const passing = (namespaced ? values("namespace") : [""]).flatMap((namespace) =>
    values("name").map((name) => filters.some((passes) => passes({ ...event, namespace, name }))),
  );
  return of === "all" ? !passing.includes(false) : passing.includes(true);
}

/** What filters compare an attribute with, at any depth. */
function valuesOf(filters: unknown, attribute: string): readonly string[] {
  if (typeof filters !== "object" || filters === null) return [];
  return Object.entries(filters).flatMap(([key, value]) =>
    key === attribute && typeof value === "string" ? [value] : valuesOf(value, attribute),
  );
}

function isKnown(filters: readonly object[]): boolean {
  return filters.every((filter) => {
    // The API server removes a dialect that it does not know, and leaves a filter of none.
    const entries = Object.entries(filter);
    return (
      entries.length > 0 &&
      entries.every(([dialect, operand]) => {
        if (dialect === "all" || dialect === "any") return isKnown(operand);
        if (dialect === "not") return isKnown([operand]);
        return ["exact", "prefix", "suffix"].includes(dialect) && areKnown(operand);
      })
    );
  });
}

/** Whether a filter is only on attributes that follow from the object and its change. */
const areKnown = (attributes: object): boolean =>
  Object.keys(attributes).every((name) => ["type", "apiversion", "kind", "namespace", "name"].includes(name));
