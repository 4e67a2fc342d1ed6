import { type Rule, slug } from "../../shared/rule.ts";
import { variableOf } from "../../shared/settings.ts";
import type { InstalledFunction } from "./installed-functions.ts";

/**
 * Which settings of a rule its function takes from where this program does not read, as a sentence; nothing where there
 * are none. The user's own environment may name external systems instead.
 */
export function unreadSettings(
  { name, settings, systems = {} }: Rule,
  { environment, unread }: InstalledFunction,
): string | undefined {
  const variables = (one: typeof settings) => Object.keys(one.shape).map(variableOf);
  const external = Object.values(systems).flatMap((system) => variables(system.settings));
  const found = [...variables(settings), ...external.filter((one) => !process.env[one])].filter(
    (one) => environment[one] === undefined && (unread.includes(one) || unread.includes("*")),
  );
  if (found.length === 0) return undefined;
  return (
    `${[...new Set(found)].join(", ")} of ${slug(name)} could not be read. The value comes from a Secret, from ` +
    "Kubernetes itself, or from a ConfigMap that does not contain it or that you may not read."
  );
}
