import type { ZodObject } from "zod";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { receive } from "../../../shared/pipeline/receive.ts";
import { type Rule, slug } from "../../../shared/rule.ts";
import { readSettings } from "../../../shared/settings.ts";
import type { Handler, Start } from "../../worlds/functions.ts";

/** A rule with a fault on purpose, which runs in the place of a function of the repository. */
export interface Mutant {
  readonly name: string;
  /** A sentence: the fault, as its author might defend it. */
  readonly doc: string;
  /** Its declaration, by the name of the function in whose place it runs. */
  readonly rule: { readonly name: string };
  start(start: Start): Handler;
  /** An object of the installation, with what the rule says that it may do. */
  grant(object: KubernetesObject): KubernetesObject;
}

/** A mutant from a declaration as functions have one. */
export function mutant<Schema extends ZodObject, Facts>(name: string, doc: string, rule: Rule<Schema, Facts>): Mutant {
  return {
    name,
    doc,
    rule,
    start: ({ environment, ...tools }) =>
      receive(rule, { ...tools, settings: readSettings(rule.settings, environment) }),
    grant: (object) => {
      if (object.kind !== "ClusterRole" || !object.metadata.name.endsWith(slug(rule.name))) return object;
      const rules = rule.may.map(({ resource, verbs }) => ({
        apiGroups: [resource.apiVersion.includes("/") ? resource.apiVersion.split("/")[0] : ""],
        resources: [resource.plural],
        verbs,
      }));
      return { ...object, rules };
    },
  };
}
