import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { type Rule, slug } from "../../shared/rule.ts";
import { inTreeProtection } from "../../shared/storage/protection.ts";
import type { Installed } from "./installed.ts";

interface Workload extends KubernetesObject {
  readonly spec?: {
    readonly template?: {
      readonly spec?: { readonly containers?: readonly { readonly env?: readonly Variable[] }[] };
    };
  };
}

interface Variable {
  readonly name: string;
  readonly value?: string;
}

/**
 * The rules, with the finalizers that the installed functions are set to (`FINALIZER`) in place of the defaults, and
 * those that are `given`, because functions that are gone cannot say what they were set to. Kubernetes' own finalizer
 * is never among them: its own controller takes the claims over again, and lets them go when no pod uses them.
 */
export function withChosenFinalizers(
  rules: readonly Rule[],
  functions: readonly Installed[],
  given: readonly string[],
): readonly Rule[] {
  return rules.map((rule) => {
    if (!rule.finalizers || !("finalizer" in rule.settings.shape)) return rule;
    const chosen = functions
      .filter(({ object }) => object.metadata.name === slug(rule.name))
      .flatMap(({ object }) => (object as Workload).spec?.template?.spec?.containers ?? [])
      .flatMap(({ env = [] }) => env.flatMap(({ name, value }) => (name === "FINALIZER" && value ? [value] : [])));
    const { finalizers } = rule;
    const named = [...new Set([...chosen, ...given])].filter((one) => one !== inTreeProtection);
    const others = finalizers.flatMap((own) => named.map((finalizer) => ({ ...own, finalizer })));
    return { ...rule, finalizers: chosen.length > 0 ? others : [...finalizers, ...others] };
  });
}
