import { RE2JS } from "re2js";
import { LabelSelectorError, parseLabelSelector } from "../../../../shared/kubernetes/parse-label-selector.ts";
import type { Patch } from "../schema/satellite-spec.ts";

/** An object that patches may be meant for, under the name that piraeus-operator's patches know it by. */
export interface Patchable {
  readonly kind: string;
  readonly name: string;
}

/** What of an object decides whether a target selects it. */
interface Target {
  readonly apiVersion?: unknown;
  readonly metadata?: {
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/**
 * Whether a patch's target selects an object, as kustomize has it: group, version, kind, name and namespace are regular
 * expressions from beginning to end, labels and annotations are label selectors, and each that is given must match. The
 * expressions are RE2's, as in Go: they take linear time, so that no expression can stop the function.
 *
 * @throws Error with a sentence, where one of them cannot be read.
 */
export function isSelected(target: NonNullable<Patch["target"]>, object: object, { kind, name }: Patchable): boolean {
  const { apiVersion, metadata: { namespace = "", labels = {}, annotations = {} } = {} } = object as Target;
  const [version = "", group = ""] = String(apiVersion).split("/").reverse();
  const { labelSelector = "", annotationSelector = "" } = target;
  const own = { group, version, kind, name, namespace };
  return (
    (Object.keys(own) as (keyof typeof own)[]).every((field) => matches(target[field], own[field], field)) &&
    selects(labelSelector, labels) &&
    selects(annotationSelector, annotations)
  );
}

function matches(pattern: string | undefined, value: string, field: string): boolean {
  if (pattern === undefined || pattern === "") return true;
  try {
    return RE2JS.matches(pattern, value);
  } catch {
    throw new Error(`The ${field} of its target is no regular expression: ${pattern}.`);
  }
}

function selects(selector: string, labels: Readonly<Record<string, string>>): boolean {
  try {
    return parseLabelSelector(selector)(labels);
  } catch (error) {
    if (!(error instanceof LabelSelectorError)) throw error;
    throw new Error(`its selector ${JSON.stringify(selector.trim())} cannot be read: ${error.message}.`);
  }
}
