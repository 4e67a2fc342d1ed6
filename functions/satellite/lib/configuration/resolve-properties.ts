import type { Property } from "../schema/satellite-spec.ts";

/** The resolved properties, or a sentence that says which cannot be. */
export type Resolved = { readonly properties: Readonly<Record<string, string>> } | { readonly problem: string };

/**
 * The values of properties for one Node, from the object as it is. A label, annotation or field that the Node does not
 * have is an empty value; an empty value of an optional property leaves the property out.
 */
export function resolveProperties(properties: readonly Property[], node: object): Resolved {
  const resolved: Record<string, string> = {};
  for (const { name, value, valueFrom, optional } of properties) {
    const path = valueFrom?.nodeFieldRef;
    const steps = path === undefined ? [] : stepsOf(path);
    if (!steps) return { problem: `The property ${name} asks for the Node's ${path}, which is no path of a field.` };
    const found = path === undefined ? (value ?? "") : textAt(node, steps);
    if (found === undefined)
      return { problem: `The property ${name} asks for the Node's ${path}, which is no text, number or boolean.` };
    if (found || !optional) resolved[name] = found;
  }
  return { properties: resolved };
}

const step = /\.?([A-Za-z_][A-Za-z0-9_]*)|\['([^']*)'\]|\["([^"]*)"\]|\[(\d+)\]/y;

/** `metadata.labels['topology.kubernetes.io/zone']` in its parts; `undefined` when it is no path. */
function stepsOf(path: string): readonly string[] | undefined {
  const steps: string[] = [];
  step.lastIndex = 0;
  while (step.lastIndex < path.length) {
    const found = step.exec(path);
    if (!found) return undefined;
    steps.push((found[1] ?? found[2] ?? found[3] ?? found[4]) as string);
  }
  return steps.length ? steps : undefined;
}

function textAt(object: object, steps: readonly string[]): string | undefined {
  let at: unknown = object;
  for (const name of steps) {
    if (at === undefined || at === null) return "";
    if (typeof at !== "object") return undefined;
    at = Object.hasOwn(at, name) ? (at as Record<string, unknown>)[name] : undefined;
  }
  if (at === undefined || at === null) return "";
  return typeof at === "object" ? undefined : String(at);
}
