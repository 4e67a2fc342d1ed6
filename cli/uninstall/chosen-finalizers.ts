import { UserError } from "../../shared/command/user-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { type Rule, slug } from "../../shared/rule.ts";
import { inTreeProtection } from "../../shared/storage/protection.ts";
import { variablesOf } from "../rules/installed-functions.ts";
import type { Installed } from "./installed.ts";

const setting = "FINALIZER";

/**
 * The rules, with the finalizers that the installed functions are set to (`FINALIZER`) in place of the defaults, and
 * those that are `given`, because functions that are gone cannot say what they were set to. Kubernetes' own finalizer
 * is never among them: its own controller takes the claims over again, and lets them go when no pod uses them.
 *
 * @throws ApiError
 * @throws UserError where the setting cannot be read, and none is given: what carries the finalizer would not be found.
 */
export async function withChosenFinalizers(
  client: Client,
  rules: readonly Rule[],
  functions: readonly Installed[],
  given: readonly string[],
): Promise<readonly Rule[]> {
  return Promise.all(
    rules.map(async (rule) => {
      if (!rule.finalizers || !("finalizer" in rule.settings.shape)) return rule;
      const chosen: string[] = [];
      for (const { object } of functions.filter(({ object }) => object.metadata.name === slug(rule.name))) {
        const { environment, unread } = await variablesOf(client, object);
        const value = environment[setting];
        if (value) chosen.push(value);
        else if (value === undefined && given.length === 0 && (unread.includes(setting) || unread.includes("*")))
          throw new UserError(
            `${setting} of ${slug(rule.name)} could not be read, so Holdfast cannot find the objects with this ` +
              "finalizer. Name the finalizer with --finalizer.",
          );
      }
      const { finalizers } = rule;
      const named = [...new Set([...chosen, ...given])].filter((one) => one !== inTreeProtection);
      const others = finalizers.flatMap((own) => named.map((finalizer) => ({ ...own, finalizer })));
      return { ...rule, finalizers: chosen.length > 0 ? others : [...finalizers, ...others] };
    }),
  );
}
