import { UserError } from "../../shared/command/user-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { type Rule, slug } from "../../shared/rule.ts";
import { inTreeProtection } from "../../shared/storage/protection.ts";
import { variablesOf } from "../rules/installed-functions.ts";
import type { Installed, Phase } from "./installed.ts";

const setting = "FINALIZER";

interface WritePolicy extends KubernetesObject {
  readonly spec?: { readonly variables?: readonly { readonly name: string; readonly expression: string }[] };
}

/**
 * The rules, with the finalizers that the installed functions are set to (`FINALIZER`) in place of the defaults.
 * Functions that are gone cannot say it, so there are also those of the policies that bound their writes, which go
 * after the finalizers, and those that are `given`. Kubernetes' own finalizer is never among them: its own controller
 * takes the claims over again, and lets them go when no pod uses them.
 *
 * @throws ApiError
 * @throws UserError where the setting cannot be read, and none is given: what carries the finalizer would not be found.
 */
export async function withChosenFinalizers(
  client: Client,
  rules: readonly Rule[],
  { functions, rest }: Pick<Readonly<Record<Phase, readonly Installed[]>>, "functions" | "rest">,
  given: readonly string[],
): Promise<readonly Rule[]> {
  return Promise.all(
    rules.map(async (rule) => {
      if (!rule.finalizers || !("finalizer" in rule.settings.shape)) return rule;
      const name = slug(rule.name);
      const chosen: string[] = [];
      let isUnread = false;
      for (const { object } of functions.filter(({ object }) => object.metadata.name === name)) {
        const { environment, unread } = await variablesOf(client, object);
        const value = environment[setting];
        if (value) chosen.push(value);
        else isUnread ||= value === undefined && (unread.includes(setting) || unread.includes("*"));
      }
      const bounded = rest
        .filter(({ object }) => object.metadata.name === `holdfast-${name}`)
        .flatMap(({ object }) => (object as WritePolicy).spec?.variables ?? [])
        .filter((variable) => variable.name === setting)
        .map(({ expression }) => /^"([^"\\]+)"$/.exec(expression)?.[1]);
      isUnread ||= chosen.length === 0 && bounded.includes(undefined);
      if (isUnread && given.length === 0)
        throw new UserError(
          `${setting} of ${name} could not be read, so Holdfast cannot find the objects with this finalizer. ` +
            "Name the finalizer with --finalizer.",
        );
      const { finalizers } = rule;
      const named = [...new Set([...chosen, ...bounded, ...given])]
        .filter((one) => one !== undefined)
        .filter((one) => one !== inTreeProtection);
      const others = finalizers.flatMap((own) => named.map((finalizer) => ({ ...own, finalizer })));
      return { ...rule, finalizers: chosen.length > 0 ? others : [...finalizers, ...others] };
    }),
  );
}
