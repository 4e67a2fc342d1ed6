import type { Fields } from "../../../shared/kubernetes/fields.ts";
import type { Attributes, PathAttributes } from "./attributes.ts";

/** One rule of a role, complete. */
export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** Reads a rule as it stands in a role. */
export function ruleFrom(fields: Fields): Rule {
  const list = (name: string) => (Array.isArray(fields[name]) ? (fields[name] as unknown[]).map(String) : []);
  return {
    verbs: list("verbs"),
    apiGroups: list("apiGroups"),
    resources: list("resources"),
    resourceNames: list("resourceNames"),
    nonResourceURLs: list("nonResourceURLs"),
  };
}

const has = (list: readonly string[], wanted: string) => list.includes("*") || list.includes(wanted);

/**
 * Whether a rule allows what a user wants to do. A rule with names allows nothing that has no name, such as a list of
 * all.
 */
export function allows(rule: Rule, wanted: Attributes): boolean {
  if (!has(rule.verbs, wanted.verb) || !has(rule.apiGroups, wanted.group)) return false;
  const subresource = wanted.resource.split("/")[1];
  const resources = subresource ? [wanted.resource, `*/${subresource}`] : [wanted.resource];
  if (!resources.some((resource) => has(rule.resources, resource))) return false;
  return rule.resourceNames.length === 0 || rule.resourceNames.includes(wanted.name ?? "");
}

/** Whether a rule allows a path that is no resource; a rule may end in `*`. */
export function allowsPath(rule: Rule, { verb, path }: PathAttributes): boolean {
  if (!has(rule.verbs, verb)) return false;
  return rule.nonResourceURLs.some((url) => url === path || (url.endsWith("*") && path.startsWith(url.slice(0, -1))));
}
