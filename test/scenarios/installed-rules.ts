import type { FoundRules } from "../../cli/rules/ask-rules.ts";
import { loadRules, systemNames } from "../../cli/rules/load-systems.ts";
import { slug } from "../../shared/rule.ts";
import type { Setting } from "../harness/cluster.ts";
import { readInstallation } from "../harness/installation.ts";

/** Every rule there is. */
export const allRules = await loadRules(systemNames());

/** The rules of a setting, under the environment of their functions. */
export function rulesOf(setting: Setting): FoundRules {
  const services = new Map(
    readInstallation(setting).services.map(({ service, environment }) => [service, environment]),
  );
  const installed = allRules.flatMap((rule) => {
    const environment = services.get(slug(rule.name));
    return environment ? [{ rule, environment }] : [];
  });
  return { installed, all: allRules, kinds: [], isGuess: false };
}
